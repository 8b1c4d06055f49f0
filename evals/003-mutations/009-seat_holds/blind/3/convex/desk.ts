// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, type MutationCtx, type QueryCtx } from "./_generated/server";
import { cancelBooking, isOver } from "./model/bookings";
import { findSeat, freeSeats, takeSeats } from "./model/seats";

/*
 * What the people at the desk do, until the doors close. Their program signs in with a key of its own.
 */

const order = { event: v.id("events"), seats: v.array(v.number()), name: v.string() };

async function enter(
  ctx: MutationCtx,
  { event: id, seats: numbers, name }: { event: Id<"events">; seats: number[]; name: string },
  state: "pending" | "paid",
): Promise<Id<"bookings">> {
  const event = await ctx.db.get("events", id);
  if (event === null) throw new ConvexError("no_event");
  const seats = await freeSeats(ctx, event, numbers);
  const booking = await ctx.db.insert("bookings", {
    event: id,
    person: `desk|${name}`,
    seats: numbers,
    by: "desk",
    state,
    changedAt: Date.now(),
  });
  await takeSeats(ctx, id, seats, booking);
  return booking;
}

async function unpaid(ctx: QueryCtx, id: Id<"bookings">): Promise<Doc<"bookings">> {
  const booking = await ctx.db.get("bookings", id);
  if (booking === null) throw new ConvexError("no_booking");
  if (booking.state !== "pending" || (await isOver(ctx, booking))) {
    throw new ConvexError("not_pending");
  }
  return booking;
}

/** Sold for cash. */
export const sell = internalMutation({
  args: order,
  returns: v.id("bookings"),
  handler: async (ctx, args) => await enter(ctx, args, "paid"),
});

/** Reserved by telephone: fetched and paid at the desk. */
export const reserve = internalMutation({
  args: order,
  returns: v.id("bookings"),
  handler: async (ctx, args) => await enter(ctx, args, "pending"),
});

/** Paid at the desk, wherever it was booked. */
export const collect = internalMutation({
  args: { booking: v.id("bookings") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { _id } = await unpaid(ctx, args.booking);
    await ctx.db.patch("bookings", _id, { state: "paid", changedAt: Date.now() });
    return null;
  },
});

/** Not fetched. */
export const drop = internalMutation({
  args: { booking: v.id("bookings") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await cancelBooking(ctx, await unpaid(ctx, args.booking));
    return null;
  },
});

/** Puts somebody on another seat: a wheelchair, a pillar, a party that wants to sit together. */
export const reseat = internalMutation({
  args: { booking: v.id("bookings"), from: v.number(), to: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const booking = await ctx.db.get("bookings", args.booking);
    const event = booking && (await ctx.db.get("events", booking.event));
    if (booking === null || event === null) throw new ConvexError("no_booking");
    const old = await findSeat(ctx, event._id, args.from);
    if (old?.booking !== booking._id) throw new ConvexError("no_seat");
    const [seat] = await freeSeats(ctx, event, [args.to]);
    if (seat === undefined || args.from > event.capacity) throw new ConvexError("no_seat");
    await ctx.db.patch("seats", old._id, { booking: null });
    await ctx.db.patch("seats", seat._id, { booking: booking._id });
    const seats = booking.seats.map((number) => (number === args.from ? args.to : number));
    await ctx.db.patch("bookings", booking._id, { seats });
    return null;
  },
});
