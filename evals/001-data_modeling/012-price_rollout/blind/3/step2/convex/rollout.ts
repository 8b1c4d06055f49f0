// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { toEuros, toStored } from "./lib/prices";
import { readLines, storeLines } from "./orders/lines";

const BATCH = 100;

/**
 * Converts some of the documents that have prices in euros, and returns whether none is left. In an
 * index all numbers come before all amounts. Nothing here is remembered between two calls, so it does not
 * matter what the app before this one has written since.
 */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = BATCH;

    const products = await ctx.db
      .query("products")
      .withIndex("by_price", (q) => q.lte("price", Infinity))
      .take(left);
    for (const { _id, price } of products) {
      await ctx.db.patch("products", _id, { price: toStored(toEuros(price)) });
    }
    left -= products.length;

    const withdrawn = await ctx.db
      .query("withdrawn")
      .withIndex("by_price", (q) => q.lte("price", Infinity))
      .take(left);
    for (const { _id, price } of withdrawn) {
      await ctx.db.patch("withdrawn", _id, { price: toStored(toEuros(price)) });
    }
    left -= withdrawn.length;

    const entries = await ctx.db
      .query("priceLog")
      .withIndex("by_price", (q) => q.lte("price", Infinity))
      .take(left);
    for (const { _id, price } of entries) {
      await ctx.db.patch("priceLog", _id, { price: toStored(toEuros(price)) });
    }
    left -= entries.length;

    const alerts = await ctx.db
      .query("alerts")
      .withIndex("by_price", (q) => q.lte("price", Infinity))
      .take(left);
    for (const { _id, price } of alerts) {
      await ctx.db.patch("alerts", _id, { price: toStored(toEuros(price)) });
    }
    left -= alerts.length;

    const notices = await ctx.db
      .query("notices")
      .withIndex("by_price", (q) => q.lte("price", Infinity))
      .take(left);
    for (const { _id, price } of notices) {
      await ctx.db.patch("notices", _id, { price: toStored(toEuros(price)) });
    }
    left -= notices.length;

    const orders = await ctx.db
      .query("orders")
      .withIndex("by_in_cents", (q) => q.eq("inCents", undefined))
      .take(left);
    for (const order of orders) {
      await ctx.db.patch("orders", order._id, storeLines(readLines(order)));
    }
    left -= orders.length;

    // Otherwise one of the tables may have more.
    return left > 0;
  },
});
