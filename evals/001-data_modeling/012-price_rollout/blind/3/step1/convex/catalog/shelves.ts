// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { byPrice, eur, leastCents, mostCents } from "../lib/prices";

/*
 * As long as some prices are stored as numbers of euros and others as amounts of cents, the two stand
 * apart in the index: all numbers before all amounts. So both are read, and put in order here.
 */

/** The cheapest products of a shelf that cost at least `from` and at most `to` euros, in order. */
export async function findCheapest(
  ctx: QueryCtx,
  shelf: string,
  limit: number,
  { from, to }: { from: number; to: number } = { from: -Infinity, to: Infinity },
): Promise<Doc<"products">[]> {
  const numbers = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) =>
      q.eq("shelf", shelf).gte("price", from).lte("price", to),
    )
    .take(limit);
  const amounts = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) =>
      q
        .eq("shelf", shelf)
        .gte("price", eur(leastCents(from)))
        .lte("price", eur(mostCents(to))),
    )
    .take(limit);
  return [...numbers, ...amounts].sort(byPrice).slice(0, limit);
}

/** The dearest product of a shelf; of several the one that stands there for the shortest time. */
export async function findDearest(ctx: QueryCtx, shelf: string): Promise<Doc<"products"> | null> {
  const number = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) => q.eq("shelf", shelf).lte("price", Infinity))
    .order("desc")
    .first();
  const amount = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) => q.eq("shelf", shelf).gte("price", eur(-Infinity)))
    .order("desc")
    .first();
  if (number === null || amount === null) return number ?? amount;
  return byPrice(number, amount) > 0 ? number : amount;
}
