// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { DAY } from "../lib/time";
import { BATCH } from "./limits";

/** Remind once of each invoice that is due and for which no payment is under way. */
export const send = internalMutation({
  args: { cursor: v.union(v.null(), v.string()) },
  handler: async (ctx, { cursor }) => {
    const due = await ctx.db
      .query("invoices")
      .withIndex("by_status_and_due", (q) => q.eq("status", "open").lt("dueAt", Date.now()))
      .paginate({ cursor, numItems: BATCH });
    for (const invoice of due.page) {
      const earlier = await ctx.db
        .query("reminders")
        .withIndex("by_invoice", (q) => q.eq("invoice", invoice._id))
        .first();
      if (earlier === null && invoice.paymentStatus !== "processing") {
        await ctx.db.insert("reminders", { invoice: invoice._id, at: Date.now() });
      }
    }
    if (!due.isDone) {
      const next = { cursor: due.continueCursor };
      await ctx.scheduler.runAfter(0, internal.jobs.reminders.send, next);
    }
  },
});

/** Delete reminders after a year. */
export const forget = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("reminders")
      .withIndex("by_at", (q) => q.lt("at", Date.now() - 365 * DAY))
      .take(BATCH);
    for (const reminder of old) {
      await ctx.db.delete("reminders", reminder._id);
    }
    if (old.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.reminders.forget, {});
    }
  },
});
