// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { releaseGoods } from "./model/stock";

const STALE_MS = 30 * 60 * 1000;
const MAIL_MS = 30 * 24 * 60 * 60 * 1000;
const BATCH = 100;

/** Orders that hang in `charging` keep goods from others: after half an hour they are given up. */
export const closeStale = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const stale = await ctx.db
      .query("orders")
      .withIndex("by_state_and_placed", (q) =>
        q.eq("state", "charging").lt("placedAt", Date.now() - STALE_MS),
      )
      .take(BATCH);
    for (const order of stale) {
      await releaseGoods(ctx, order.lines);
      await ctx.db.patch("orders", order._id, { state: "refused", refusal: "It took too long." });
    }
    return null;
  },
});

/** Mails are kept for a month. */
export const dropOldMails = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const old = await ctx.db
      .query("mails")
      .withIndex("by_creation_time", (q) => q.lt("_creationTime", Date.now() - MAIL_MS))
      .take(BATCH);
    for (const mail of old) await ctx.db.delete("mails", mail._id);
    if (old.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.maintenance.dropOldMails, {});
    }
    return null;
  },
});
