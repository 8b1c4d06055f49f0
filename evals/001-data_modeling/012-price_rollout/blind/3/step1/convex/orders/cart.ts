// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "../_generated/server";
import { requireProduct } from "../catalog/products";
import { requireCustomer } from "../lib/access";
import { toEuros } from "../lib/prices";
import { readLines, storeLines } from "./lines";
import { requireOpen } from "./read";

const MOST_LINES = 200;

function checkQuantity(quantity: number): void {
  if (!Number.isInteger(quantity) || quantity < 1) throw new ConvexError({ code: "bad_quantity" });
}

export const open = mutation({
  args: {},
  handler: async (ctx) => {
    const customer = await requireCustomer(ctx);
    return await ctx.db.insert("orders", { customer, status: "open", ...storeLines([]) });
  },
});

/** Adds a product at its present price; if the order has it already, more of it at that price. */
export const put = mutation({
  args: { order: v.id("orders"), sku: v.string(), quantity: v.number() },
  handler: async (ctx, { order, sku, quantity }) => {
    checkQuantity(quantity);
    const lines = readLines(await requireOpen(ctx, order));
    const product = await requireProduct(ctx, sku);
    const price = toEuros(product.price);
    const present = lines.find((line) => line.sku === sku && line.price === price);
    if (present !== undefined) present.quantity += quantity;
    else lines.push({ sku, name: product.name, quantity, price });
    if (lines.length > MOST_LINES) throw new ConvexError({ code: "too_long" });
    await ctx.db.patch("orders", order, storeLines(lines));
    return null;
  },
});

/** Takes a product out, at whatever prices it stands there. */
export const take = mutation({
  args: { order: v.id("orders"), sku: v.string() },
  handler: async (ctx, { order, sku }) => {
    const lines = readLines(await requireOpen(ctx, order));
    const left = lines.filter((line) => line.sku !== sku);
    await ctx.db.patch("orders", order, storeLines(left));
    return null;
  },
});

export const pay = mutation({
  args: { order: v.id("orders") },
  handler: async (ctx, { order }) => {
    await requireOpen(ctx, order);
    await ctx.db.patch("orders", order, { status: "paid" });
    return null;
  },
});
