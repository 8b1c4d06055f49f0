// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalAction, internalMutation, internalQuery } from "../_generated/server";
import { REFUND_RETRY_MS } from "../model/refunds";
import { requestRefund } from "./paylane";

const BATCH = 100;

/** Sends a refund to Paylane. Its key is the refund's id, so that to send twice does no harm. */
export const send = internalAction({
  args: { refund: v.id("refunds") },
  returns: v.null(),
  handler: async (ctx, { refund }): Promise<null> => {
    const waiting: { charge: string; amount: number } | null = await ctx.runQuery(
      internal.payments.refunds.describe,
      { refund },
    );
    if (waiting === null) return null;
    try {
      await requestRefund(waiting.charge, waiting.amount, refund);
      await ctx.runMutation(internal.payments.refunds.finish, { refund });
    } catch (error) {
      // Not certain: it is tried again.
      console.error("Paylane", refund, error);
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

/** Sends whatever is due, called by a cron. */
export const tryDue = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const now = Date.now();
    const due = await ctx.db
      .query("refunds")
      .withIndex("by_state_and_next", (q) => q.eq("state", "waiting").lte("nextAt", now))
      .take(BATCH);
    for (const { _id } of due) {
      await ctx.db.patch("refunds", _id, { nextAt: now + REFUND_RETRY_MS });
      await ctx.scheduler.runAfter(0, internal.payments.refunds.send, { refund: _id });
    }
    if (due.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.payments.refunds.tryDue, {});
    }
    return null;
  },
});
