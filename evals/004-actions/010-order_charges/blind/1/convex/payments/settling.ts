// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { adopt } from "../model/asks";

const BATCH = 100;
const PAUSE_MS = 50 * 1000;

/** Goes on with all charges whose outcome is not known and whose time has come. */
export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const now = Date.now();
    const older = await ctx.db
      .query("orders")
      .withIndex("by_state_and_ask", (q) => q.eq("state", "charging").eq("ask", undefined))
      .take(BATCH);
    for (const order of older) await adopt(ctx, order);
    const due = await ctx.db
      .query("asks")
      .withIndex("by_isOpen_and_nextAt", (q) => q.eq("isOpen", true).lte("nextAt", now))
      .take(BATCH);
    for (const { _id, order } of due) {
      await ctx.db.patch("asks", _id, { nextAt: now + PAUSE_MS });
      await ctx.scheduler.runAfter(0, internal.payments.charges.charge, { order });
    }
    if (older.length === BATCH || due.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.payments.settling.run, {});
    }
    return null;
  },
});
