// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** Every public function is for our staff alone. */
export async function requireStaff(ctx: QueryCtx): Promise<Doc<"staff">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not_staff");
  const member = await ctx.db
    .query("staff")
    .withIndex("by_subject", (q) => q.eq("subject", identity.subject))
    .unique();
  if (member === null) throw new ConvexError("not_staff");
  return member;
}
