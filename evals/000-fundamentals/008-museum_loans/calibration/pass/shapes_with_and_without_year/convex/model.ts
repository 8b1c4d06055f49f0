// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

export async function lent(ctx: QueryCtx, loan: Id<"loans">) {
  return await ctx.db.get("loans", loan);
}
