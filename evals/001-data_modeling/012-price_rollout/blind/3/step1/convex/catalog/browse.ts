// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery, query } from "../_generated/server";
import { toEuros } from "../lib/prices";
import { showProduct } from "./products";
import { findCheapest, findDearest } from "./shelves";

/*
 * A shelf can have 50,000 products, so these read what they show and no more. The cheapest comes
 * first; of several at one price the one that stands on the shelf longest.
 */

export const cheapest = query({
  args: { shelf: v.string(), limit: v.number() },
  handler: async (ctx, { shelf, limit }) => {
    const products = await findCheapest(ctx, shelf, Math.min(limit, 100));
    return products.map(showProduct);
  },
});

/** What costs at least `from` and at most `to`. */
export const between = query({
  args: { shelf: v.string(), from: v.number(), to: v.number(), limit: v.number() },
  handler: async (ctx, { shelf, from, to, limit }) => {
    const products = await findCheapest(ctx, shelf, Math.min(limit, 100), { from, to });
    return products.map(showProduct);
  },
});

/** The dearest product of a shelf, for its window. */
export const showpiece = query({
  args: { shelf: v.string() },
  handler: async (ctx, { shelf }) => {
    const product = await findDearest(ctx, shelf);
    return product && showProduct(product);
  },
});

/** The rows of the feed that price comparison sites fetch, see http.ts. */
export const feed = internalQuery({
  args: { shelf: v.string() },
  handler: async (ctx, { shelf }) => {
    const products = await findCheapest(ctx, shelf, 200);
    return products.map(({ name, price, sku }) => ({ name, price: toEuros(price), sku }));
  },
});
