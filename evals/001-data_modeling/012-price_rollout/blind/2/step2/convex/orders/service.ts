// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internalMutation, mutation, query } from "../_generated/server";
import { requireCustomer, requireStaff } from "../lib/access";
import { checkPrice, roundToCents, sumLines, toEuros, toMoney, toMoneyLines } from "../lib/prices";
import { requireOrder } from "./read";

const WEEK_MS = 7 * 24 * 3_600_000;

/** Opens a new order with the lines of an old one, at the prices of then. */
export const again = mutation({
  args: { order: v.id("orders") },
  handler: async (ctx, { order }) => {
    const customer = await requireCustomer(ctx);
    const { lines } = await requireOrder(ctx, order);
    return await ctx.db.insert("orders", {
      customer,
      status: "open",
      lines: toMoneyLines(lines),
    });
  },
});

/** Gives a customer the lower price of another shop. */
export const match = mutation({
  args: { order: v.id("orders"), sku: v.string(), price: v.number() },
  handler: async (ctx, { order, sku, price }) => {
    await requireStaff(ctx);
    checkPrice(price);
    const { lines } = (await ctx.db.get("orders", order)) ?? { lines: [] };
    const matched = toMoneyLines(lines).map((line) =>
      line.sku === sku && toEuros(line.price) > price ? { ...line, price: toMoney(price) } : line,
    );
    if (!lines.some((line) => line.sku === sku)) throw new ConvexError({ code: "no_line" });
    await ctx.db.patch("orders", order, { lines: matched });
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
    return roundToCents(orders.reduce((sum, { lines }) => sum + sumLines(lines), 0));
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
