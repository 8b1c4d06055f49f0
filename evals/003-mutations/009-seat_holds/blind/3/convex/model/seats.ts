// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

export async function findSeat(
  ctx: QueryCtx,
  event: Id<"events">,
  number: number,
): Promise<Doc<"seats"> | null> {
  return await ctx.db
    .query("seats")
    .withIndex("by_event_and_number", (q) => q.eq("event", event).eq("number", number))
    .unique();
}

/** The seats of these numbers if all are free, else why one of them cannot be had. */
export async function findFreeSeats(
  ctx: QueryCtx,
  event: Doc<"events">,
  numbers: number[],
): Promise<Doc<"seats">[] | "no_seat" | "taken"> {
  const seats: Doc<"seats">[] = [];
  for (const number of numbers) {
    const seat = await findSeat(ctx, event._id, number);
    if (seat === null || number > event.capacity) return "no_seat";
    if (seat.booking !== null) return "taken";
    seats.push(seat);
  }
  return seats;
}

/** The seats of these numbers, all of which must be free. */
export async function freeSeats(
  ctx: QueryCtx,
  event: Doc<"events">,
  numbers: number[],
): Promise<Doc<"seats">[]> {
  const seats = await findFreeSeats(ctx, event, numbers);
  if (typeof seats === "string") throw new ConvexError(seats);
  return seats;
}

/** Puts free seats into a booking. */
export async function takeSeats(
  ctx: MutationCtx,
  event: Id<"events">,
  seats: Doc<"seats">[],
  booking: Id<"bookings">,
): Promise<void> {
  for (const { _id } of seats) {
    await ctx.db.patch("seats", _id, { booking });
  }
  await changeFree(ctx, event, -seats.length);
}

/** Takes a booking's seats out of it. Where the hall became smaller, a seat that is left is gone. */
export async function giveBack(ctx: MutationCtx, booking: Doc<"bookings">): Promise<void> {
  const event = await ctx.db.get("events", booking.event);
  if (event === null) return;
  let free = 0;
  for (const number of booking.seats) {
    const seat = await findSeat(ctx, event._id, number);
    if (seat === null || seat.booking !== booking._id) continue;
    if (number > event.capacity) {
      await ctx.db.delete("seats", seat._id);
    } else {
      await ctx.db.patch("seats", seat._id, { booking: null });
      free += 1;
    }
  }
  await changeFree(ctx, event._id, free);
}

export async function changeFree(
  ctx: MutationCtx,
  id: Id<"events">,
  change: number,
): Promise<void> {
  const event = await ctx.db.get("events", id);
  if (event !== null) await ctx.db.patch("events", id, { free: event.free + change });
}
