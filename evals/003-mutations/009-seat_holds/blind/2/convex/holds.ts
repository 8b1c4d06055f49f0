// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { SALES_END_MS } from "./lib/rules";
import { offerOverdue } from "./model/waiting";

const LOOK_BACK_MS = 24 * 60 * 60 * 1000;
const EVENTS = 500;

/** Bookings of an event may have come to their end. */
export const lapse = internalMutation({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event }) => {
    await offerOverdue(ctx, event);
    return null;
  },
});

/** Ends what is open on the web when web sales end, also what has no end of its own. */
export const endSales = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const latest = Date.now() + SALES_END_MS;
    const events = await ctx.db
      .query("events")
      .withIndex("by_startsAt", (q) => q.gt("startsAt", latest - LOOK_BACK_MS).lte("startsAt", latest))
      .order("desc")
      .take(EVENTS);
    for (const { _id: event } of events) {
      for (const by of ["web", "offer"] as const) {
        const open = await ctx.db
          .query("bookings")
          .withIndex("by_event_and_state_and_by", (q) =>
            q.eq("event", event).eq("state", "pending").eq("by", by),
          )
          .first();
        if (open === null) continue;
        await ctx.scheduler.runAfter(0, internal.holds.lapse, { event });
        break;
      }
    }
    return null;
  },
});
