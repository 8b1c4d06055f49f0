// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { BATCH, KEPT_FOR, RESTORABLE_FOR } from "./constants";
import { refreshMinutes } from "./model/totals";

export const dropOldEvents = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const end = Date.now() - KEPT_FOR;
    const events = await ctx.db
      .query("events")
      .withIndex("by_time", (q) => q.lt("at", end))
      .take(BATCH);
    for (const event of events) await ctx.db.delete("events", event._id);
    await refreshMinutes(ctx, events);
    if (events.length === BATCH)
      await ctx.scheduler.runAfter(0, internal.cleanup.dropOldEvents, {});
    return null;
  },
});

/** Deletes a customer who was removed long ago, bit by bit, and then the next one. */
export const purgeCustomers = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const end = Date.now() - RESTORABLE_FOR;
    const customer = await ctx.db
      .query("customers")
      .withIndex("by_removal", (q) => q.gt("removedAt", 0).lt("removedAt", end))
      .first();
    if (customer === null) return null;
    const meter = await ctx.db
      .query("meters")
      .withIndex("by_customer", (q) => q.eq("customer", customer._id))
      .first();
    if (meter === null) {
      await ctx.db.delete("customers", customer._id);
    } else {
      const events = await ctx.db
        .query("events")
        .withIndex("by_meter", (q) => q.eq("meter", meter._id))
        .take(BATCH);
      for (const event of events) await ctx.db.delete("events", event._id);
      // Totals without events are deleted with the last of them.
      await refreshMinutes(ctx, events);
      if (events.length < BATCH) await ctx.db.delete("meters", meter._id);
    }
    await ctx.scheduler.runAfter(0, internal.cleanup.purgeCustomers, {});
    return null;
  },
});
