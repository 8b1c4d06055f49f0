// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";
import { changePrice } from "./catalog/pricing";
import { findProduct, requireProduct } from "./catalog/products";
import { requireStaff } from "./lib/access";
import { checkPrice, toEuros } from "./lib/prices";

const HOUR_MS = 3_600_000;

/*
 * What is scheduled here has its prices in euros, so that sales that were planned before a deploy go on
 * after it.
 */

/** Plans a sale: from `at` on, for so many hours, the product has this price. */
export const plan = mutation({
  args: { sku: v.string(), price: v.number(), at: v.number(), hours: v.number() },
  handler: async (ctx, { sku, price, at, hours }) => {
    await requireStaff(ctx);
    checkPrice(price);
    if (!(hours > 0 && hours <= 1000)) throw new ConvexError({ code: "bad_hours" });
    await requireProduct(ctx, sku);
    await ctx.scheduler.runAt(at, internal.sales.begin, { sku, price, hours });
    return null;
  },
});

export const begin = internalMutation({
  args: { sku: v.string(), price: v.number(), hours: v.number() },
  handler: async (ctx, { sku, price, hours }) => {
    const product = await findProduct(ctx, sku);
    if (product === null) return;
    const sale = { sku, price, before: toEuros(product.price) };
    await changePrice(ctx, product, price, "sales");
    await ctx.scheduler.runAfter(hours * HOUR_MS, internal.sales.end, sale);
  },
});

/** Ends a sale, unless the product got another price meanwhile. */
export const end = internalMutation({
  args: { sku: v.string(), price: v.number(), before: v.number() },
  handler: async (ctx, { sku, price, before }) => {
    const product = await findProduct(ctx, sku);
    if (product === null || toEuros(product.price) !== price) return;
    await changePrice(ctx, product, before, "sales");
  },
});
