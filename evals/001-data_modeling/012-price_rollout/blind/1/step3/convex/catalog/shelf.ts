// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { toMoney } from "../lib/prices";

/** The cheapest products of a shelf that cost from so many to so many cents. */
export async function takeCheapest(
  ctx: QueryCtx,
  shelf: string,
  { from, to }: { from: number; to: number },
  limit: number,
): Promise<Doc<"products">[]> {
  return await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) =>
      q.eq("shelf", shelf).gte("price", toMoney(from)).lte("price", toMoney(to)),
    )
    .take(limit);
}

export async function findDearest(ctx: QueryCtx, shelf: string): Promise<Doc<"products"> | null> {
  return await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) => q.eq("shelf", shelf))
    .order("desc")
    .first();
}
