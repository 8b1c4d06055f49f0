// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { MAX_SEATS } from "../lib/rules";
import { isOverdue } from "./ends";
import { isOnSale } from "./events";
import { currentBooking } from "./lapses";
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
    .filter(
      (booking) =>
        booking.state === "paid" || (booking.state === "pending" && !isOverdue(booking)),
    )
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
  ctx: MutationCtx,
  id: Id<"bookings">,
  person: string,
): Promise<Doc<"bookings">> {
  const booking = await currentBooking(ctx, id);
  if (booking === null || booking.person !== person) throw new ConvexError("no_booking");
  if (booking.state !== "pending") throw new ConvexError("not_pending");
  return booking;
}

/** Ends a booking that is pending or paid: its money goes back, and its seats to those who wait. */
export async function cancelBooking(ctx: MutationCtx, booking: Doc<"bookings">): Promise<void> {
  await giveBack(ctx, booking);
  await ctx.db.patch("bookings", booking._id, { state: "cancelled", changedAt: Date.now() });
  await payBackAll(ctx, booking._id);
  await offerSeats(ctx, booking.event);
}

/**
 * Puts the seats of a booking that has lapsed into it again, if its owner could book them now. Whether
 * that was so.
 */
export async function retakeSeats(ctx: MutationCtx, booking: Doc<"bookings">): Promise<boolean> {
  const event = await ctx.db.get("events", booking.event);
  if (event === null || !isOnSale(event)) return false;
  const { person, seats: numbers } = booking;
  if ((await findObstacle(ctx, event._id, person, numbers.length)) !== null) return false;
  const seats = await findFreeSeats(ctx, event, numbers);
  if (typeof seats === "string") return false;
  await takeSeats(ctx, event._id, seats, booking._id);
  return true;
}
