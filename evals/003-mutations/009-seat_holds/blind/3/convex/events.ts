// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, query, type MutationCtx } from "./_generated/server";
import { cancelBooking, lapseBooking } from "./model/bookings";
import { salesEndOf } from "./model/events";
import { changeFree, findSeat } from "./model/seats";
import { offerSeats } from "./model/waiting";

const BATCH = 50;

export const get = query({
  args: { event: v.id("events") },
  returns: v.union(
    v.null(),
    v.object({
      title: v.string(),
      startsAt: v.number(),
      capacity: v.number(),
      free: v.number(),
      state: v.string(),
    }),
  ),
  handler: async (ctx, args) => {
    const event = await ctx.db.get("events", args.event);
    if (event === null) return null;
    const { title, startsAt, capacity, free, state } = event;
    return { title, startsAt, capacity, free, state };
  },
});

/* The rest is for the office, whose program signs in with a key of its own. */

export const create = internalMutation({
  args: { title: v.string(), startsAt: v.number(), capacity: v.number() },
  returns: v.id("events"),
  handler: async (ctx, args) => {
    const { capacity } = args;
    const event = await ctx.db.insert("events", { ...args, free: capacity, state: "on_sale" });
    for (let number = 1; number <= capacity; number++) {
      await ctx.db.insert("seats", { event, number, booking: null });
    }
    return event;
  },
});

/** Makes the hall larger or smaller. Seats that are in bookings stay until they are given back. */
export const setCapacity = internalMutation({
  args: { event: v.id("events"), capacity: v.number() },
  returns: v.null(),
  handler: async (ctx, { event: id, capacity }) => {
    const event = await ctx.db.get("events", id);
    if (event === null) throw new ConvexError("no_event");
    if (!Number.isInteger(capacity) || capacity < 0) throw new ConvexError("bad_capacity");
    await ctx.db.patch("events", id, { capacity });
    let free = 0;
    for (let number = event.capacity + 1; number <= capacity; number++) {
      if ((await findSeat(ctx, id, number)) !== null) continue;
      await ctx.db.insert("seats", { event: id, number, booking: null });
      free += 1;
    }
    for (let number = capacity + 1; number <= event.capacity; number++) {
      const seat = await findSeat(ctx, id, number);
      if (seat === null || seat.booking !== null) continue;
      await ctx.db.delete("seats", seat._id);
      free -= 1;
    }
    await changeFree(ctx, id, free);
    await offerSeats(ctx, id);
    return null;
  },
});

/** Moves an event to another time, and with it the end of web sales. */
export const reschedule = internalMutation({
  args: { event: v.id("events"), startsAt: v.number() },
  returns: v.null(),
  handler: async (ctx, { event: id, startsAt }) => {
    const event = await ctx.db.get("events", id);
    if (event === null) throw new ConvexError("no_event");
    await ctx.db.patch("events", id, { startsAt });
    const salesEnd = salesEndOf({ ...event, startsAt });
    if (salesEnd <= Date.now()) {
      await endOpenBookings(ctx, id);
    } else {
      // Who would have had longer than that is not looked at in time otherwise.
      const later = await ctx.db
        .query("bookings")
        .withIndex("by_event_and_state", (q) =>
          q.eq("event", id).eq("state", "pending").gt("dueAt", salesEnd),
        )
        .first();
      if (later !== null) await ctx.scheduler.runAt(salesEnd, internal.events.endSales, { event: id });
    }
    await offerSeats(ctx, id);
    return null;
  },
});

/** Comes when web sales end, if the event was moved. */
export const endSales = internalMutation({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event: id }) => {
    const event = await ctx.db.get("events", id);
    if (event !== null && salesEndOf(event) <= Date.now()) await endOpenBookings(ctx, id);
    return null;
  },
});

/** Web sales have ended, and what has an end ends with them, a batch at a time. */
async function endOpenBookings(ctx: MutationCtx, event: Id<"events">): Promise<void> {
  const bookings = await ctx.db
    .query("bookings")
    .withIndex("by_event_and_state", (q) =>
      q.eq("event", event).eq("state", "pending").gt("dueAt", undefined),
    )
    .take(BATCH);
  for (const booking of bookings) await lapseBooking(ctx, booking);
  if (bookings.length === BATCH) {
    await ctx.scheduler.runAfter(0, internal.events.endSales, { event });
  }
}

/** Calls an event off. All bookings are cancelled, a batch at a time, and nobody waits any more. */
export const callOff = internalMutation({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event }) => {
    if ((await ctx.db.get("events", event)) === null) throw new ConvexError("no_event");
    await ctx.db.patch("events", event, { state: "called_off" });
    await ctx.scheduler.runAfter(0, internal.events.cancelBatch, { event });
    return null;
  },
});

export const cancelBatch = internalMutation({
  args: { event: v.id("events") },
  returns: v.null(),
  handler: async (ctx, { event }) => {
    let left = BATCH;
    for (const state of ["pending", "paid"] as const) {
      const bookings = await ctx.db
        .query("bookings")
        .withIndex("by_event_and_state", (q) => q.eq("event", event).eq("state", state))
        .take(left);
      for (const booking of bookings) await cancelBooking(ctx, booking);
      left -= bookings.length;
    }
    const entries = await ctx.db
      .query("waiting")
      .withIndex("by_event", (q) => q.eq("event", event))
      .take(BATCH);
    for (const { _id } of entries) await ctx.db.delete("waiting", _id);
    if (left === 0 || entries.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.events.cancelBatch, { event });
    }
    return null;
  },
});
