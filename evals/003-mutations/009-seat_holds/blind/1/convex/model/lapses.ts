// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { isOverdue } from "./ends";
import { payBackAll } from "./money";
import { giveBack } from "./seats";
import { offerSeats } from "./waiting";

const BATCH = 50;

/** Ends a booking that was not paid in time. Its seats are still to be offered. */
async function lapse(ctx: MutationCtx, booking: Doc<"bookings">): Promise<void> {
  await giveBack(ctx, booking);
  await ctx.db.patch("bookings", booking._id, { state: "lapsed", changedAt: Date.now() });
  await payBackAll(ctx, booking._id);
}

/**
 * Ends the bookings of an event whose end has come. It is scheduled for each end, and is called before
 * anything is decided about an event, because what is scheduled may come a little late.
 */
export async function lapseDue(ctx: MutationCtx, event: Id<"events">): Promise<void> {
  const bookings = await ctx.db
    .query("bookings")
    .withIndex("by_event_and_state_and_expiresAt", (q) =>
      q
        .eq("event", event)
        .eq("state", "pending")
        .gt("expiresAt", undefined)
        .lte("expiresAt", Date.now()),
    )
    .take(BATCH);
  if (bookings.length === 0) return;
  for (const booking of bookings) await lapse(ctx, booking);
  if (bookings.length === BATCH) await ctx.scheduler.runAfter(0, internal.lapses.run, { event });
  await offerSeats(ctx, event);
}

/** A booking as it is at this moment: if its end has come, it has lapsed. */
export async function currentBooking(
  ctx: MutationCtx,
  id: Id<"bookings">,
): Promise<Doc<"bookings"> | null> {
  const found = await ctx.db.get("bookings", id);
  if (found === null) return null;
  await lapseDue(ctx, found.event);
  const booking = await ctx.db.get("bookings", id);
  if (booking === null || !isOverdue(booking)) return booking;
  await lapse(ctx, booking);
  await offerSeats(ctx, booking.event);
  return await ctx.db.get("bookings", id);
}
