// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { callerOf } from "./lib/caller";
import { EXTENSION_MS, HOLD_MS } from "./lib/rules";
import {
  cancelBooking,
  endFor,
  endOf,
  findObstacle,
  isOver,
  lapseBooking,
  ownPending,
  watchEnd,
} from "./model/bookings";
import { openEvent } from "./model/events";
import { freeSeats, giveBack, takeSeats } from "./model/seats";
import { offerSeats } from "./model/waiting";

/** Books seats. They are paid afterwards, on the payment provider's page. */
export const book = mutation({
  args: { event: v.id("events"), seats: v.array(v.number()) },
  returns: v.id("bookings"),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    const event = await openEvent(ctx, args.event);
    const numbers = [...new Set(args.seats)];
    if (numbers.length === 0) throw new ConvexError("no_seat");
    const obstacle = await findObstacle(ctx, event._id, person, numbers.length);
    if (obstacle !== null) throw new ConvexError(obstacle);
    const seats = await freeSeats(ctx, event, numbers);
    const booking = await ctx.db.insert("bookings", {
      event: event._id,
      person,
      seats: numbers,
      by: "web",
      state: "pending",
      changedAt: Date.now(),
      dueAt: Date.now() + HOLD_MS,
    });
    await takeSeats(ctx, event._id, seats, booking);
    await watchEnd(ctx, booking);
    return booking;
  },
});

/**
 * Takes other seats instead, some of which may be the same. The booking gets a new id, because the
 * provider's page for the old one shows the old seats: what is paid there goes back.
 */
export const change = mutation({
  args: { booking: v.id("bookings"), seats: v.array(v.number()) },
  returns: v.id("bookings"),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    const old = await ownPending(ctx, args.booking, person);
    const event = await openEvent(ctx, old.event);
    const numbers = [...new Set(args.seats)];
    if (numbers.length === 0) throw new ConvexError("no_seat");
    await giveBack(ctx, old);
    await ctx.db.patch("bookings", old._id, { state: "cancelled", changedAt: Date.now() });
    const obstacle = await findObstacle(ctx, event._id, person, numbers.length);
    if (obstacle !== null) throw new ConvexError(obstacle);
    const seats = await freeSeats(ctx, event, numbers);
    const { event: id, by, dueAt, extended } = old;
    const booking = await ctx.db.insert("bookings", {
      event: id,
      person,
      seats: numbers,
      by,
      state: "pending",
      changedAt: Date.now(),
      dueAt,
      extended,
    });
    await takeSeats(ctx, event._id, seats, booking);
    await watchEnd(ctx, booking);
    await offerSeats(ctx, event._id);
    return booking;
  },
});

/** Gives a booking that is not paid to somebody else, who will pay it. */
export const handOver = mutation({
  args: { booking: v.id("bookings"), to: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { _id, event, seats } = await ownPending(ctx, args.booking, await callerOf(ctx));
    await openEvent(ctx, event);
    const obstacle = await findObstacle(ctx, event, args.to, seats.length);
    if (obstacle !== null) throw new ConvexError(obstacle);
    await ctx.db.patch("bookings", _id, { person: args.to });
    return null;
  },
});

/** Moves the end of a booking, once. Returns the new end. */
export const extend = mutation({
  args: { booking: v.id("bookings") },
  returns: v.number(),
  handler: async (ctx, args) => {
    const booking = await ownPending(ctx, args.booking, await callerOf(ctx));
    if (booking.dueAt === undefined || booking.extended === true) {
      throw new ConvexError("not_extendable");
    }
    const dueAt = booking.dueAt + EXTENSION_MS;
    await ctx.db.patch("bookings", booking._id, { dueAt, extended: true });
    // `lapse` comes at the former end, and again at the new one.
    return endFor(dueAt, await ctx.db.get("events", booking.event));
  },
});

/** Cancels a booking, paid or not. A second time is harmless. */
export const cancel = mutation({
  args: { booking: v.id("bookings") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    const booking = await ctx.db.get("bookings", args.booking);
    if (booking === null || booking.person !== person) throw new ConvexError("no_booking");
    if (booking.state === "cancelled" || booking.state === "lapsed") return null;
    if (await isOver(ctx, booking)) {
      await lapseBooking(ctx, booking);
      return null;
    }
    await openEvent(ctx, booking.event);
    await cancelBooking(ctx, booking);
    return null;
  },
});

/** Comes when a booking may have reached its end. */
export const lapse = internalMutation({
  args: { booking: v.id("bookings") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const booking = await ctx.db.get("bookings", args.booking);
    if (booking === null || booking.state !== "pending") return null;
    const end = await endOf(ctx, booking);
    if (end === null) return null;
    if (end <= Date.now()) await lapseBooking(ctx, booking);
    else await ctx.scheduler.runAt(end, internal.bookings.lapse, { booking: booking._id });
    return null;
  },
});

/** The caller's bookings of an event, the latest first. */
export const mine = query({
  args: { event: v.id("events") },
  returns: v.array(
    v.object({
      _id: v.id("bookings"),
      seats: v.array(v.number()),
      state: v.string(),
      expiresAt: v.union(v.number(), v.null()),
    }),
  ),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    const event = await ctx.db.get("events", args.event);
    const bookings = await ctx.db
      .query("bookings")
      .withIndex("by_person_and_event", (q) => q.eq("person", person).eq("event", args.event))
      .order("desc")
      .take(20);
    return bookings.map(({ _id, seats, state, dueAt }) => ({
      _id,
      seats,
      state,
      expiresAt: dueAt === undefined ? null : endFor(dueAt, event),
    }));
  },
});
