// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { BEYOND, centsFrom, centsUpTo } from "../lib/prices";

/** The cheapest products of a shelf within a range of euros. */
export async function readShelf(
  ctx: QueryCtx,
  shelf: string,
  range: { from?: number; to?: number; below?: number },
  limit: number,
): Promise<Doc<"products">[]> {
  const { from = -1, to = BEYOND, below } = range;
  const first = centsFrom(from);
  const last = below === undefined ? centsUpTo(to) : centsFrom(below) - 1;
  if (first > last) return [];
  return await ctx.db
    .query("products")
    .withIndex("by_shelf_and_amount", (q) =>
      q.eq("shelf", shelf).gte("price.amount", first).lte("price.amount", last),
    )
    .take(limit);
}

export async function readDearest(ctx: QueryCtx, shelf: string): Promise<Doc<"products"> | null> {
  return await ctx.db
    .query("products")
    .withIndex("by_shelf_and_amount", (q) => q.eq("shelf", shelf))
    .order("desc")
    .first();
}
