// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { inEuros, toStored } from "./lib/prices";
import { storeLines } from "./orders/lines";

const MOST = 100;
const TABLES = ["products", "withdrawn", "priceLog", "alerts", "notices"] as const;

/**
 * Converts up to 100 documents. What is left to do is found by its form, not by a position that is
 * kept: so it does not matter what was written before, between and after the calls.
 */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = MOST;
    for (const table of TABLES) {
      const old = await ctx.db
        .query(table)
        .withIndex("by_price", (q) => q.lte("price", Infinity))
        .take(left);
      for (const { _id, price } of old) {
        await ctx.db.patch(_id, { price: toStored(inEuros(price)) });
      }
      left -= old.length;
      if (left === 0) return false;
    }
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_form", (q) => q.eq("form", undefined))
      .take(left);
    for (const { _id, lines } of orders) await ctx.db.patch("orders", _id, storeLines(lines));
    return orders.length < left;
  },
});
