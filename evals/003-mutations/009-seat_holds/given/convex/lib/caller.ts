// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { QueryCtx } from "../_generated/server";

/** Who is calling. */
export async function callerOf(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not_signed_in");
  return identity.tokenIdentifier;
}
