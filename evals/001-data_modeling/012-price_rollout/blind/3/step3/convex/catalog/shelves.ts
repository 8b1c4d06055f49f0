// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { eur, leastCents, mostCents } from "../lib/prices";

/** The cheapest products of a shelf that cost at least `from` and at most `to` euros, in order. */
export async function findCheapest(
  ctx: QueryCtx,
  shelf: string,
  limit: number,
  { from, to }: { from: number; to: number } = { from: -Infinity, to: Infinity },
): Promise<Doc<"products">[]> {
  return await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) =>
      q
        .eq("shelf", shelf)
        .gte("price", eur(leastCents(from)))
        .lte("price", eur(mostCents(to))),
    )
    .take(limit);
}

/** The dearest product of a shelf; of several the one that stands there for the shortest time. */
export async function findDearest(ctx: QueryCtx, shelf: string): Promise<Doc<"products"> | null> {
  return await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) => q.eq("shelf", shelf))
    .order("desc")
    .first();
}
