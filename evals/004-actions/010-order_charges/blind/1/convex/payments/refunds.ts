// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation, internalQuery } from "../_generated/server";
import { requestRefund } from "./paylane";

const BATCH = 100;
const PAUSE_MS = 4 * 60 * 1000;

/** Sends a refund to Paylane. Its key is the refund's id, however often it is sent. */
export const send = internalAction({
  args: { refund: v.id("refunds") },
  returns: v.null(),
  handler: async (ctx, { refund }) => {
    const waiting = await ctx.runQuery(internal.payments.refunds.describe, { refund });
    if (waiting === null) return null;
    try {
      await requestRefund(waiting.charge, waiting.amount, refund);
    } catch (error) {
      console.error("Paylane", refund, error);
      return null;
    }
    await ctx.runMutation(internal.payments.refunds.finish, { refund });
    return null;
  },
});

/** Sends all refunds again that Paylane has not confirmed. */
export const sendWaiting = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const now = Date.now();
    const waiting = await ctx.db
      .query("refunds")
      .withIndex("by_state_and_sentAt", (q) =>
        q.eq("state", "waiting").lte("sentAt", now - PAUSE_MS),
      )
      .take(BATCH);
    for (const { _id } of waiting) {
      await ctx.db.patch("refunds", _id, { sentAt: now });
      await ctx.scheduler.runAfter(0, internal.payments.refunds.send, { refund: _id });
    }
    if (waiting.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.payments.refunds.sendWaiting, {});
    }
    return null;
  },
});

export const describe = internalQuery({
  args: { refund: v.id("refunds") },
  returns: v.nullable(v.object({ charge: v.string(), amount: v.number() })),
  handler: async (ctx, { refund: id }) => {
    const refund = await ctx.db.get("refunds", id);
    if (refund === null || refund.state === "done") return null;
    return { charge: refund.charge, amount: refund.amount };
  },
});

export const finish = internalMutation({
  args: { refund: v.id("refunds") },
  returns: v.null(),
  handler: async (ctx, { refund }) => {
    await ctx.db.patch("refunds", refund, { state: "done" });
    return null;
  },
});
