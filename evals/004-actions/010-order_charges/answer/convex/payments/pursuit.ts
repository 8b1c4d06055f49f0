// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { PAUSE_MS } from "./attempts";

const BATCH = 100;

/** Goes on with everything that is under way: its action may have ended without a result. */
export const pursue = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const now = Date.now();
    const without = await ctx.db
      .query("orders")
      .withIndex("by_state_and_attempt", (q) => q.eq("state", "charging").eq("attempt", undefined))
      .take(BATCH);
    for (const { _id: order, total, card } of without) {
      const attempt = await ctx.db.insert("attempts", {
        order,
        amount: total,
        card,
        askedAt: now,
        sentAt: now,
        open: true,
        nextAt: now + PAUSE_MS,
      });
      await ctx.db.patch("orders", order, { attempt });
    }
    const open = await ctx.db
      .query("attempts")
      .withIndex("by_open_and_next", (q) => q.eq("open", true).lte("nextAt", now))
      .take(BATCH);
    for (const { _id, order } of open) {
      await ctx.db.patch("attempts", _id, { nextAt: now + PAUSE_MS });
      await ctx.scheduler.runAfter(0, internal.payments.charges.charge, { order });
    }
    const refunds = await ctx.db
      .query("refunds")
      .withIndex("by_state_and_next", (q) => q.eq("state", "waiting").lte("nextAt", now))
      .take(BATCH);
    for (const { _id: refund } of refunds) {
      await ctx.db.patch("refunds", refund, { nextAt: now + PAUSE_MS });
      await ctx.scheduler.runAfter(0, internal.payments.refunds.send, { refund });
    }
    return null;
  },
});
