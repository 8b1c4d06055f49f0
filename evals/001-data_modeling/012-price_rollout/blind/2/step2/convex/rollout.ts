// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { BEYOND, toMoney, toMoneyLines } from "./lib/prices";

/** What one call converts, and how many orders it looks at. */
const MOST = 100;
const MOST_SEEN = 400;
/** Orders differ in size: a call stops after about so many characters of them. */
const MOST_SIZE = 2_000_000;

/**
 * Converts some documents; returns whether nothing was left. Orders cannot be found by the form of
 * their lines, so all are walked through, the oldest first. Nothing gets the old form behind the walk:
 * this step writes the new form alone, and the step before makes the walk begin anew.
 */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = MOST;

    const products = await ctx.db
      .query("products")
      .withIndex("by_price", (q) => q.lte("price", BEYOND))
      .take(left);
    for (const { _id, price } of products) {
      await ctx.db.patch("products", _id, { price: toMoney(price) });
    }
    left -= products.length;
    if (left === 0) return false;

    const withdrawn = await ctx.db
      .query("withdrawn")
      .withIndex("by_price", (q) => q.lte("price", BEYOND))
      .take(left);
    for (const { _id, price } of withdrawn) {
      await ctx.db.patch("withdrawn", _id, { price: toMoney(price) });
    }
    left -= withdrawn.length;
    if (left === 0) return false;

    const alerts = await ctx.db
      .query("alerts")
      .withIndex("by_price", (q) => q.lte("price", BEYOND))
      .take(left);
    for (const { _id, price } of alerts) {
      await ctx.db.patch("alerts", _id, { price: toMoney(price) });
    }
    left -= alerts.length;
    if (left === 0) return false;

    const notices = await ctx.db
      .query("notices")
      .withIndex("by_price", (q) => q.lte("price", BEYOND))
      .take(left);
    for (const { _id, price } of notices) {
      await ctx.db.patch("notices", _id, { price: toMoney(price) });
    }
    left -= notices.length;
    if (left === 0) return false;

    const entries = await ctx.db
      .query("priceLog")
      .withIndex("by_price", (q) => q.lte("price", BEYOND))
      .take(left);
    for (const { _id, price } of entries) {
      await ctx.db.patch("priceLog", _id, { price: toMoney(price) });
    }
    left -= entries.length;
    if (left === 0) return false;

    const walk = await ctx.db.query("rollout").first();
    let last = walk?.last ?? -1;
    let seen = 0;
    let size = 0;
    let isDone = true;
    const orders = ctx.db
      .query("orders")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", walk?.last ?? -1));
    for await (const { _id, _creationTime, lines } of orders) {
      if (left === 0 || seen === MOST_SEEN || size > MOST_SIZE) {
        isDone = false;
        break;
      }
      if (lines.some(({ price }) => typeof price === "number")) {
        await ctx.db.patch("orders", _id, { lines: toMoneyLines(lines) });
        left -= 1;
      }
      seen += 1;
      size += JSON.stringify(lines).length;
      last = _creationTime;
    }
    if (isDone) {
      if (walk !== null) await ctx.db.delete("rollout", walk._id);
    } else if (walk === null) {
      await ctx.db.insert("rollout", { last });
    } else {
      await ctx.db.patch("rollout", walk._id, { last });
    }
    return isDone;
  },
});
