// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireStaff } from "./lib/session";

export const list = query({
  args: {},
  handler: async (ctx) => {
    const products = await ctx.db.query("products").take(200);
    return products.map(({ _id, title, price, stock }) => ({ id: _id, title, price, stock }));
  },
});

export const add = mutation({
  args: { title: v.string(), price: v.number(), stock: v.number() },
  returns: v.id("products"),
  handler: async (ctx, product) => {
    await requireStaff(ctx);
    if (!Number.isInteger(product.price) || product.price <= 0) refuse("invalid");
    return await ctx.db.insert("products", product);
  },
});

/** Orders keep the price at which they were placed. */
export const setPrice = mutation({
  args: { product: v.id("products"), price: v.number() },
  returns: v.null(),
  handler: async (ctx, { product, price }) => {
    await requireStaff(ctx);
    if (!Number.isInteger(price) || price <= 0) refuse("invalid");
    await ctx.db.patch("products", product, { price });
    return null;
  },
});
