// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { OFFER_MS } from "../lib/rules";
import { findObstacle, watchEnd } from "./bookings";
import { isOnSale } from "./events";
import { takeSeats } from "./seats";

/**
 * Offers free seats to those who wait, in their order. Who wants more than are free is passed over and
 * waits on; who gets an offer, or may not book any more, waits no longer.
 */
export async function offerSeats(ctx: MutationCtx, id: Id<"events">): Promise<void> {
  const event = await ctx.db.get("events", id);
  if (event === null || !isOnSale(event)) return;
  const entries = await ctx.db
    .query("waiting")
    .withIndex("by_event", (q) => q.eq("event", id))
    .take(200);
  for (const { _id, person, count } of entries) {
    const seats = await ctx.db
      .query("seats")
      .withIndex("by_event_and_booking", (q) =>
        q.eq("event", id).eq("booking", null).lte("number", event.capacity),
      )
      .take(count);
    if (seats.length === 0) return;
    if (seats.length < count) continue;
    await ctx.db.delete("waiting", _id);
    if ((await findObstacle(ctx, id, person, count)) !== null) continue;
    const booking = await ctx.db.insert("bookings", {
      event: id,
      person,
      seats: seats.map(({ number }) => number),
      by: "offer",
      state: "pending",
      changedAt: Date.now(),
      dueAt: Date.now() + OFFER_MS,
    });
    await takeSeats(ctx, id, seats, booking);
    await watchEnd(ctx, booking);
    await ctx.db.insert("mails", { person, kind: "offer", booking });
  }
}
