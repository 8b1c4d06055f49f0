// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { internalQuery, query, type QueryCtx } from "../_generated/server";
import { inEuros, toCents } from "../lib/prices";
import { showProduct } from "./products";

/*
 * A shelf can have 50,000 products, so these read what they show and no more. The cheapest comes
 * first; of several at one price the one that stands on the shelf longest.
 */

/** What costs at least `from`, at most `to` and less than `below`, in the order of prices. */
export async function readCheapest(
  ctx: QueryCtx,
  shelf: string,
  limit: number,
  { from = 0, to = Infinity, below }: { from?: number; to?: number; below?: number } = {},
): Promise<Doc<"products">[]> {
  return await ctx.db
    .query("products")
    .withIndex("by_shelf_and_amount", (q) => {
      const range = q.eq("shelf", shelf).gte("price.amount", toCents(from));
      return below === undefined
        ? range.lte("price.amount", toCents(to))
        : range.lt("price.amount", toCents(below));
    })
    .take(limit);
}

export const cheapest = query({
  args: { shelf: v.string(), limit: v.number() },
  handler: async (ctx, { shelf, limit }) => {
    const products = await readCheapest(ctx, shelf, Math.min(limit, 100));
    return products.map(showProduct);
  },
});

/** What costs at least `from` and at most `to`. */
export const between = query({
  args: { shelf: v.string(), from: v.number(), to: v.number(), limit: v.number() },
  handler: async (ctx, { shelf, from, to, limit }) => {
    const products = await readCheapest(ctx, shelf, Math.min(limit, 100), { from, to });
    return products.map(showProduct);
  },
});

/** The dearest product of a shelf, for its window. */
export const showpiece = query({
  args: { shelf: v.string() },
  handler: async (ctx, { shelf }) => {
    const product = await ctx.db
      .query("products")
      .withIndex("by_shelf_and_amount", (q) => q.eq("shelf", shelf))
      .order("desc")
      .first();
    return product && showProduct(product);
  },
});

/** The rows of the feed that price comparison sites fetch, see http.ts. */
export const feed = internalQuery({
  args: { shelf: v.string() },
  handler: async (ctx, { shelf }) => {
    const products = await readCheapest(ctx, shelf, 200);
    return products.map(({ sku, name, price }) => ({ sku, name, price: inEuros(price) }));
  },
});
