// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { MOST_CENTS, toEuros, toStored } from "./lib/prices";
import { readLines, storeLines } from "./orders/lines";

/** So many documents are converted at once. */
const MOST_CONVERTED = 100;

/** Orders have up to 200 lines: so many lines are read at once. */
const MOST_LINES = 5000;

/**
 * Converts some prices that are still stored in euros, and returns whether none is left. Call it
 * until it returns true.
 */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const converted = await convertPrices(ctx);
    return converted > 0 ? false : await convertOrders(ctx);
  },
});

/** Converts prices that an index finds: numbers come before objects. Returns how many. */
async function convertPrices(ctx: MutationCtx): Promise<number> {
  let left = MOST_CONVERTED;

  const products = await ctx.db
    .query("products")
    .withIndex("by_price", (q) => q.lte("price", MOST_CENTS))
    .take(left);
  for (const { _id, price } of products) {
    await ctx.db.patch("products", _id, { price: toStored(toEuros(price)) });
  }
  left -= products.length;
  if (left === 0) return MOST_CONVERTED;

  const withdrawn = await ctx.db
    .query("withdrawn")
    .withIndex("by_price", (q) => q.lte("price", MOST_CENTS))
    .take(left);
  for (const { _id, price } of withdrawn) {
    await ctx.db.patch("withdrawn", _id, { price: toStored(toEuros(price)) });
  }
  left -= withdrawn.length;
  if (left === 0) return MOST_CONVERTED;

  const entries = await ctx.db
    .query("priceLog")
    .withIndex("by_price", (q) => q.lte("price", MOST_CENTS))
    .take(left);
  for (const { _id, price } of entries) {
    await ctx.db.patch("priceLog", _id, { price: toStored(toEuros(price)) });
  }
  left -= entries.length;
  if (left === 0) return MOST_CONVERTED;

  const alerts = await ctx.db
    .query("alerts")
    .withIndex("by_price", (q) => q.lte("price", MOST_CENTS))
    .take(left);
  for (const { _id, price } of alerts) {
    await ctx.db.patch("alerts", _id, { price: toStored(toEuros(price)) });
  }
  left -= alerts.length;
  if (left === 0) return MOST_CONVERTED;

  const notices = await ctx.db
    .query("notices")
    .withIndex("by_price", (q) => q.lte("price", MOST_CENTS))
    .take(left);
  for (const { _id, price } of notices) {
    await ctx.db.patch("notices", _id, { price: toStored(toEuros(price)) });
  }
  return MOST_CONVERTED - left + notices.length;
}

/**
 * Converts lines of orders, from where the last call stopped, and returns whether it came to the
 * end. What is written meanwhile is converted already; the app before this one puts `ordersUpTo`
 * back for what it writes.
 */
async function convertOrders(ctx: MutationCtx): Promise<boolean> {
  const rollout = await ctx.db.query("rollout").first();
  let ordersUpTo = rollout?.ordersUpTo ?? 0;
  let isEnd = true;
  let orders = 0;
  let lines = 0;
  const rest = ctx.db
    .query("orders")
    .withIndex("by_creation_time", (q) => q.gte("_creationTime", ordersUpTo));
  for await (const order of rest) {
    if (orders === MOST_CONVERTED || lines >= MOST_LINES) {
      isEnd = false;
      break;
    }
    if (order.lines.some(({ price }) => typeof price === "number")) {
      await ctx.db.patch("orders", order._id, { lines: storeLines(readLines(order.lines)) });
    }
    ordersUpTo = order._creationTime;
    orders += 1;
    lines += order.lines.length;
  }
  if (rollout === null) await ctx.db.insert("rollout", { ordersUpTo });
  else if (rollout.ordersUpTo !== ordersUpTo) {
    await ctx.db.patch("rollout", rollout._id, { ordersUpTo });
  }
  return isEnd;
}
