// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { MAX_SEATS } from "../lib/rules";
import { isOnSale, salesEndOf } from "./events";
import { payBackAll } from "./money";
import { findFreeSeats, giveBack, takeSeats } from "./seats";
import { offerSeats } from "./waiting";

/** How many seats of an event a person has. */
async function countSeats(ctx: QueryCtx, event: Id<"events">, person: string): Promise<number> {
  const bookings = await ctx.db
    .query("bookings")
    .withIndex("by_person_and_event", (q) => q.eq("person", person).eq("event", event))
    .collect();
  return bookings
    .filter(({ state }) => state === "pending" || state === "paid")
    .reduce((count, { seats }) => count + seats.length, 0);
}

/** Why a person cannot have so many seats more of an event; null if nothing is in the way. */
export async function findObstacle(
  ctx: QueryCtx,
  event: Id<"events">,
  person: string,
  count: number,
): Promise<"blocked" | "too_many_seats" | null> {
  const block = await ctx.db
    .query("blocks")
    .withIndex("by_person", (q) => q.eq("person", person))
    .first();
  if (block !== null) return "blocked";
  return (await countSeats(ctx, event, person)) + count > MAX_SEATS ? "too_many_seats" : null;
}

/** The caller's own booking, which must be pending. */
export async function ownPending(
  ctx: QueryCtx,
  id: Id<"bookings">,
  person: string,
): Promise<Doc<"bookings">> {
  const booking = await ctx.db.get("bookings", id);
  if (booking === null || booking.person !== person) throw new ConvexError("no_booking");
  if (booking.state !== "pending" || (await isOver(ctx, booking))) {
    throw new ConvexError("not_pending");
  }
  return booking;
}

/** When a booking ends that is due at some time: not after web sales of its event. */
export function endFor(dueAt: number, event: Doc<"events"> | null): number {
  return event === null ? dueAt : Math.min(dueAt, salesEndOf(event));
}

/** When a pending booking ends; null if it has no end. */
export async function endOf(ctx: QueryCtx, booking: Doc<"bookings">): Promise<number | null> {
  if (booking.dueAt === undefined) return null;
  return endFor(booking.dueAt, await ctx.db.get("events", booking.event));
}

/** Whether a booking is still pending although it has reached its end. */
export async function isOver(ctx: QueryCtx, booking: Doc<"bookings">): Promise<boolean> {
  if (booking.state !== "pending") return false;
  const end = await endOf(ctx, booking);
  return end !== null && end <= Date.now();
}

/** Sees to it that a new booking lapses at its end, if it has one. */
export async function watchEnd(ctx: MutationCtx, id: Id<"bookings">): Promise<void> {
  const booking = await ctx.db.get("bookings", id);
  const end = booking === null ? null : await endOf(ctx, booking);
  if (end !== null) await ctx.scheduler.runAt(end, internal.bookings.lapse, { booking: id });
}

async function endBooking(
  ctx: MutationCtx,
  booking: Doc<"bookings">,
  state: "cancelled" | "lapsed",
): Promise<void> {
  await giveBack(ctx, booking);
  await ctx.db.patch("bookings", booking._id, { state, changedAt: Date.now() });
  await payBackAll(ctx, booking._id);
  await offerSeats(ctx, booking.event);
}

/** Ends a booking that is pending or paid: its money goes back, and its seats to those who wait. */
export async function cancelBooking(ctx: MutationCtx, booking: Doc<"bookings">): Promise<void> {
  await endBooking(ctx, booking, "cancelled");
}

/** Ends a pending booking that was not paid in time. */
export async function lapseBooking(ctx: MutationCtx, booking: Doc<"bookings">): Promise<void> {
  await endBooking(ctx, booking, "lapsed");
}

/** Makes a booking paid for which money has come. Returns whether it can take the money. */
export async function settle(ctx: MutationCtx, booking: Doc<"bookings">): Promise<boolean> {
  let { state } = booking;
  if (await isOver(ctx, booking)) {
    await lapseBooking(ctx, booking);
    state = "lapsed";
  }
  if (state === "lapsed") {
    if (!(await takeSeatsAgain(ctx, booking))) return false;
  } else if (state !== "pending") {
    return false;
  }
  await ctx.db.patch("bookings", booking._id, { state: "paid", changedAt: Date.now() });
  return true;
}

/** Gives a lapsed booking its seats again, if its owner could book them now. */
async function takeSeatsAgain(ctx: MutationCtx, booking: Doc<"bookings">): Promise<boolean> {
  const event = await ctx.db.get("events", booking.event);
  if (event === null || !isOnSale(event)) return false;
  const { person, seats: numbers } = booking;
  if ((await findObstacle(ctx, event._id, person, numbers.length)) !== null) return false;
  const seats = await findFreeSeats(ctx, event, numbers);
  if (typeof seats === "string") return false;
  await takeSeats(ctx, event._id, seats, booking._id);
  return true;
}
