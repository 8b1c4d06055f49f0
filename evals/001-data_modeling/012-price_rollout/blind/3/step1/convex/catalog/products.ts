// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { mutation, query, type QueryCtx } from "../_generated/server";
import { requireStaff } from "../lib/access";
import { checkPrice, toEuros, toStored } from "../lib/prices";
import { changePrice, logPrice } from "./pricing";

export async function findProduct(ctx: QueryCtx, sku: string): Promise<Doc<"products"> | null> {
  return await ctx.db
    .query("products")
    .withIndex("by_sku", (q) => q.eq("sku", sku))
    .unique();
}

export async function requireProduct(ctx: QueryCtx, sku: string): Promise<Doc<"products">> {
  const product = await findProduct(ctx, sku);
  if (product === null) throw new ConvexError({ code: "no_product" });
  return product;
}

export async function requireFreeSku(ctx: QueryCtx, sku: string): Promise<void> {
  const withdrawn = await ctx.db
    .query("withdrawn")
    .withIndex("by_sku", (q) => q.eq("sku", sku))
    .unique();
  if (withdrawn !== null || (await findProduct(ctx, sku)) !== null) {
    throw new ConvexError({ code: "sku_taken" });
  }
}

/** A product as clients see it. */
export function showProduct({ sku, name, shelf, price }: Doc<"products">) {
  return { sku, name, shelf, price: toEuros(price) };
}

export const get = query({
  args: { sku: v.string() },
  handler: async (ctx, { sku }) => {
    const product = await findProduct(ctx, sku);
    return product && showProduct(product);
  },
});

export const add = mutation({
  args: { sku: v.string(), name: v.string(), shelf: v.string(), price: v.number() },
  handler: async (ctx, args) => {
    const by = await requireStaff(ctx);
    checkPrice(args.price);
    await requireFreeSku(ctx, args.sku);
    await ctx.db.insert("products", { ...args, price: toStored(args.price) });
    await logPrice(ctx, args.sku, args.price, by);
    return null;
  },
});

export const setPrice = mutation({
  args: { sku: v.string(), price: v.number() },
  handler: async (ctx, { sku, price }) => {
    const by = await requireStaff(ctx);
    await changePrice(ctx, await requireProduct(ctx, sku), price, by);
    return null;
  },
});

export const rename = mutation({
  args: { sku: v.string(), name: v.string() },
  handler: async (ctx, { sku, name }) => {
    await requireStaff(ctx);
    const product = await requireProduct(ctx, sku);
    await ctx.db.patch("products", product._id, { name });
    return null;
  },
});

/** The log of a product's prices, the oldest first. */
export const history = query({
  args: { sku: v.string() },
  handler: async (ctx, { sku }) => {
    await requireStaff(ctx);
    const entries = await ctx.db
      .query("priceLog")
      .withIndex("by_sku", (q) => q.eq("sku", sku))
      .take(500);
    return entries.map(({ price, by }) => ({ sku, price: toEuros(price), by }));
  },
});
