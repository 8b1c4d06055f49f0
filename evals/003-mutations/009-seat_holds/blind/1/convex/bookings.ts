// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { callerOf } from "./lib/caller";
import { EXTEND_MS, PAY_MS } from "./lib/rules";
import { cancelBooking, findObstacle, ownPending } from "./model/bookings";
import { endAfter, lapseAt } from "./model/ends";
import { openEvent, salesEndOf } from "./model/events";
import { currentBooking, lapseDue } from "./model/lapses";
import { freeSeats, giveBack, takeSeats } from "./model/seats";
import { offerSeats } from "./model/waiting";

/** Books seats. They are paid afterwards, on the payment provider's page. */
export const book = mutation({
  args: { event: v.id("events"), seats: v.array(v.number()) },
  returns: v.id("bookings"),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    await lapseDue(ctx, args.event);
    const event = await openEvent(ctx, args.event);
    const numbers = [...new Set(args.seats)];
    if (numbers.length === 0) throw new ConvexError("no_seat");
    const obstacle = await findObstacle(ctx, event._id, person, numbers.length);
    if (obstacle !== null) throw new ConvexError(obstacle);
    const seats = await freeSeats(ctx, event, numbers);
    const expiresAt = endAfter(event, PAY_MS);
    const booking = await ctx.db.insert("bookings", {
      event: event._id,
      person,
      seats: numbers,
      by: "web",
      state: "pending",
      changedAt: Date.now(),
      expiresAt,
    });
    await takeSeats(ctx, event._id, seats, booking);
    await lapseAt(ctx, event._id, expiresAt);
    return booking;
  },
});

/**
 * Takes other seats instead, some of which may be the same. The booking gets a new id, because the
 * provider's page for the old one shows the old seats: what is paid there goes back. Its end stays.
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
    const { event: id, by, expiresAt, extended } = old;
    const booking = await ctx.db.insert("bookings", {
      event: id,
      person,
      seats: numbers,
      by,
      state: "pending",
      changedAt: Date.now(),
      expiresAt,
      extended,
    });
    await takeSeats(ctx, event._id, seats, booking);
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

/** Moves the end of a booking that is not paid, once. Gives the new end. */
export const extend = mutation({
  args: { booking: v.id("bookings") },
  returns: v.number(),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    const booking = await ownPending(ctx, args.booking, person);
    if (booking.expiresAt === undefined || booking.extended === true) {
      throw new ConvexError("not_extendable");
    }
    const event = await openEvent(ctx, booking.event);
    const expiresAt = Math.min(booking.expiresAt + EXTEND_MS, salesEndOf(event));
    await ctx.db.patch("bookings", booking._id, { expiresAt, extended: true });
    await lapseAt(ctx, event._id, expiresAt);
    return expiresAt;
  },
});

/** Cancels a booking, paid or not. A second time is harmless. */
export const cancel = mutation({
  args: { booking: v.id("bookings") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    const booking = await currentBooking(ctx, args.booking);
    if (booking === null || booking.person !== person) throw new ConvexError("no_booking");
    if (booking.state === "cancelled" || booking.state === "lapsed") return null;
    await openEvent(ctx, booking.event);
    await cancelBooking(ctx, booking);
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
  handler: async (ctx, { event }) => {
    const person = await callerOf(ctx);
    const bookings = await ctx.db
      .query("bookings")
      .withIndex("by_person_and_event", (q) => q.eq("person", person).eq("event", event))
      .order("desc")
      .take(20);
    return bookings.map(({ _id, seats, state, expiresAt }) => ({
      _id,
      seats,
      state,
      expiresAt: expiresAt ?? null,
    }));
  },
});
