// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { ActionCtx, QueryCtx } from "../_generated/server";

/** Refuse callers who are not our staff. Every public function begins with it. */
export async function requireStaff(ctx: Pick<QueryCtx | ActionCtx, "auth">): Promise<void> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) {
    throw new ConvexError({ code: "not_signed_in" });
  }
  if (identity.role !== "staff") {
    throw new ConvexError({ code: "not_allowed" });
  }
}
