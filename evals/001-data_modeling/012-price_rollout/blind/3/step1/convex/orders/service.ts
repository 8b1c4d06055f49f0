// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internalMutation, mutation, query } from "../_generated/server";
import { requireCustomer, requireStaff } from "../lib/access";
import { checkPrice, roundToCents, sumLines } from "../lib/prices";
import { readLines, storeLines } from "./lines";
import { requireOrder } from "./read";

const WEEK_MS = 7 * 24 * 3_600_000;

/** Opens a new order with the lines of an old one, at the prices of then. */
export const again = mutation({
  args: { order: v.id("orders") },
  handler: async (ctx, { order }) => {
    const customer = await requireCustomer(ctx);
    const lines = readLines(await requireOrder(ctx, order));
    return await ctx.db.insert("orders", { customer, status: "open", ...storeLines(lines) });
  },
});

/** Gives a customer the lower price of another shop. */
export const match = mutation({
  args: { order: v.id("orders"), sku: v.string(), price: v.number() },
  handler: async (ctx, { order: id, sku, price }) => {
    await requireStaff(ctx);
    checkPrice(price);
    const order = await ctx.db.get("orders", id);
    const lines = order === null ? [] : readLines(order);
    const matched = lines.map((line) =>
      line.sku === sku && line.price > price ? { ...line, price } : line,
    );
    if (!lines.some((line) => line.sku === sku)) throw new ConvexError({ code: "no_line" });
    await ctx.db.patch("orders", id, storeLines(matched));
    return null;
  },
});

/** What was paid for orders that were opened in a time, at most 1,000 of them. */
export const revenue = query({
  args: { from: v.number(), to: v.number() },
  handler: async (ctx, { from, to }) => {
    await requireStaff(ctx);
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_status", (q) =>
        q.eq("status", "paid").gte("_creationTime", from).lt("_creationTime", to),
      )
      .take(1000);
    return roundToCents(orders.reduce((sum, order) => sum + sumLines(readLines(order)), 0));
  },
});

/** Cancels orders that nobody paid for a week. */
export const cancelStale = internalMutation({
  args: {},
  handler: async (ctx) => {
    const stale = await ctx.db
      .query("orders")
      .withIndex("by_status", (q) =>
        q.eq("status", "open").lt("_creationTime", Date.now() - WEEK_MS),
      )
      .take(100);
    for (const { _id } of stale) await ctx.db.patch("orders", _id, { status: "cancelled" });
  },
});
