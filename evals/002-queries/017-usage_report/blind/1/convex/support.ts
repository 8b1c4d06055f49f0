// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { BATCH, MAX_PER_MINUTE, MINUTE } from "./constants";
import { retractEvents } from "./model/events";
import { refreshMinutes } from "./model/totals";
import { requireMeter, requireStaff } from "./model/viewer";

const meter = { customer: v.id("customers"), meter: v.string() };

/** A meter was broken: what it sent for this time does not count. */
export const retractRange = mutation({
  args: { ...meter, from: v.number(), to: v.number() },
  returns: v.number(),
  handler: async (ctx, { customer, meter: name, from, to }) => {
    await requireStaff(ctx);
    const { _id } = await requireMeter(ctx, customer, name);
    const events = await ctx.db
      .query("events")
      .withIndex("by_meter", (q) => q.eq("meter", _id).gte("at", from).lt("at", to))
      .take(BATCH + 1);
    if (events.length > BATCH) throw new ConvexError("too many events");
    await retractEvents(ctx, events);
    return events.length;
  },
});

/**
 * Somebody counted with two meters what belongs together: the events of the one go over to the
 * other, unless their keys are there already, and the first meter is gone. For small meters only.
 */
export const joinMeters = mutation({
  args: { ...meter, into: v.string() },
  returns: v.null(),
  handler: async (ctx, { customer, meter: name, into }) => {
    await requireStaff(ctx);
    const from = await requireMeter(ctx, customer, name);
    const target = await requireMeter(ctx, customer, into);
    if (from._id === target._id) throw new ConvexError("the same meter");
    const events = await ctx.db
      .query("events")
      .withIndex("by_meter", (q) => q.eq("meter", from._id))
      .take(BATCH + 1);
    if (events.length > BATCH) throw new ConvexError("too many events");
    for (const { _id, key, at } of events) {
      const same = await ctx.db
        .query("events")
        .withIndex("by_key", (q) => q.eq("meter", target._id).eq("key", key))
        .unique();
      if (same !== null) {
        await ctx.db.delete("events", _id);
        continue;
      }
      const minute = Math.floor(at / MINUTE) * MINUTE;
      const others = await ctx.db
        .query("events")
        .withIndex("by_meter", (q) =>
          q.eq("meter", target._id).gte("at", minute).lt("at", minute + MINUTE),
        )
        .collect();
      if (others.length >= MAX_PER_MINUTE) throw new ConvexError("too many events");
      await ctx.db.patch("events", _id, { meter: target._id });
    }
    // The totals of the first meter go with its events.
    await refreshMinutes(ctx, events);
    await refreshMinutes(
      ctx,
      events.map(({ at }) => ({ meter: target._id, at })),
    );
    await ctx.db.delete("meters", from._id);
    return null;
  },
});
