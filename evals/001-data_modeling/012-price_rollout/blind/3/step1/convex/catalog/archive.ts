// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { requireStaff } from "../lib/access";
import { toEuros, toStored } from "../lib/prices";
import { requireProduct } from "./products";

export const withdraw = mutation({
  args: { sku: v.string(), reason: v.string() },
  handler: async (ctx, { sku, reason }) => {
    await requireStaff(ctx);
    const { _id, name, shelf, price } = await requireProduct(ctx, sku);
    await ctx.db.insert("withdrawn", { sku, name, shelf, price: toStored(toEuros(price)), reason });
    await ctx.db.delete("products", _id);
    return null;
  },
});

export const restore = mutation({
  args: { sku: v.string() },
  handler: async (ctx, { sku }) => {
    await requireStaff(ctx);
    const product = await ctx.db
      .query("withdrawn")
      .withIndex("by_sku", (q) => q.eq("sku", sku))
      .unique();
    if (product === null) throw new ConvexError({ code: "no_product" });
    const { _id, name, shelf, price } = product;
    await ctx.db.insert("products", { sku, name, shelf, price: toStored(toEuros(price)) });
    await ctx.db.delete("withdrawn", _id);
    return null;
  },
});

/** What was withdrawn last, the newest first. */
export const list = query({
  args: {},
  handler: async (ctx) => {
    await requireStaff(ctx);
    const products = await ctx.db.query("withdrawn").order("desc").take(50);
    return products.map(({ sku, name, shelf, price, reason }) => ({
      sku,
      name,
      shelf,
      price: toEuros(price),
      reason,
    }));
  },
});
