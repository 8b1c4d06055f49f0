// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { MOST_CENTS, toEuros, toMoney } from "../lib/prices";

function isBefore(a: Doc<"products">, b: Doc<"products">): number {
  return toEuros(a.price) - toEuros(b.price) || a._creationTime - b._creationTime;
}

/** The cheapest products of a shelf that cost from so many to so many cents. */
export async function takeCheapest(
  ctx: QueryCtx,
  shelf: string,
  { from, to }: { from: number; to: number },
  limit: number,
): Promise<Doc<"products">[]> {
  const inEuros = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) =>
      q
        .eq("shelf", shelf)
        .gte("price", from / 100)
        .lte("price", to / 100),
    )
    .take(limit);
  const converted = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) =>
      q.eq("shelf", shelf).gte("price", toMoney(from)).lte("price", toMoney(to)),
    )
    .take(limit);
  return [...inEuros, ...converted].sort(isBefore).slice(0, limit);
}

export async function findDearest(ctx: QueryCtx, shelf: string): Promise<Doc<"products"> | null> {
  const inEuros = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) => q.eq("shelf", shelf).lte("price", MOST_CENTS))
    .order("desc")
    .first();
  // Objects come behind numbers.
  const last = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) => q.eq("shelf", shelf))
    .order("desc")
    .first();
  if (inEuros === null || last === null) return last;
  return isBefore(inEuros, last) < 0 ? last : inEuros;
}
