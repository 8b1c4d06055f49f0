// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { watchOldCharges } from "./model/attempts";
import { takeTurn } from "./model/refunds";

const MAIL_MS = 30 * 24 * 60 * 60 * 1000;
const BATCH = 100;

/**
 * Charges and refunds look after themselves from their beginning on. Those that began before they did
 * so are found here: orders that are charging without an attempt, and refunds that nobody tries again.
 */
export const takeOverPayments = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const orders = await ctx.db
      .query("orders")
      .withIndex("by_state_and_attempt", (q) => q.eq("state", "charging").eq("attempt", undefined))
      .take(BATCH);
    for (const order of orders) await watchOldCharges(ctx, order);
    const refunds = await ctx.db
      .query("refunds")
      .withIndex("by_state_and_nextAt", (q) => q.eq("state", "waiting").eq("nextAt", undefined))
      .take(BATCH);
    for (const refund of refunds) await takeTurn(ctx, refund._id);
    if (orders.length === BATCH || refunds.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.maintenance.takeOverPayments, {});
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
