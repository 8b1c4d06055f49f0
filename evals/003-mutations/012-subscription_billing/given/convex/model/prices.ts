// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";

/** Returns what a plan costs on a day. Plans cannot be had before their first price. */
export async function priceOn(ctx: QueryCtx, plan: Id<"plans">, day: string): Promise<number> {
  const row = await ctx.db
    .query("prices")
    .withIndex("by_plan_and_from", (q) => q.eq("plan", plan).lte("from", day))
    .order("desc")
    .first();
  return row?.price ?? refuse("not_available");
}
