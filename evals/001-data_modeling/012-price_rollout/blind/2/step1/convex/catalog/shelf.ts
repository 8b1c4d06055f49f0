// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { BEYOND, centsFrom, centsUpTo, toEuros } from "../lib/prices";

type Product = Doc<"products">;

/** The cheapest first; of several at one price the one that stands on the shelf longest. */
function compare(a: Product, b: Product): number {
  return toEuros(a.price) - toEuros(b.price) || a._creationTime - b._creationTime;
}

/** The cheapest products of a shelf within a range of euros: each form is read by its own index. */
export async function readShelf(
  ctx: QueryCtx,
  shelf: string,
  range: { from?: number; to?: number; below?: number },
  limit: number,
): Promise<Product[]> {
  const { from = -1, to = BEYOND, below } = range;
  const old = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) => {
      const lower = q.eq("shelf", shelf).gte("price", from);
      return below === undefined ? lower.lte("price", to) : lower.lt("price", below);
    })
    .take(limit);
  const first = centsFrom(from);
  const last = below === undefined ? centsUpTo(to) : centsFrom(below) - 1;
  if (first > last) return old;
  const converted = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_amount", (q) =>
      q.eq("shelf", shelf).gte("price.amount", first).lte("price.amount", last),
    )
    .take(limit);
  return [...old, ...converted].sort(compare).slice(0, limit);
}

export async function readDearest(ctx: QueryCtx, shelf: string): Promise<Product | null> {
  const old = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_price", (q) => q.eq("shelf", shelf).lte("price", BEYOND))
    .order("desc")
    .first();
  const converted = await ctx.db
    .query("products")
    .withIndex("by_shelf_and_amount", (q) => q.eq("shelf", shelf).gte("price.amount", 0))
    .order("desc")
    .first();
  if (old === null || converted === null) return old ?? converted;
  return compare(old, converted) > 0 ? old : converted;
}
