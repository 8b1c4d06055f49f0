// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { EXTEND_MS, OFFER_MS } from "../lib/rules";
import { salesEndOf } from "./events";
import { payBackAll } from "./money";
import { giveBack } from "./seats";

const BATCH = 100;

/** When a pending booking ends, which is with the web sales at the latest; null if it has no end. */
export function endOf(booking: Doc<"bookings">, event: Doc<"events"> | null): number | null {
  if (booking.endsAt === undefined) return null;
  return event === null ? booking.endsAt : Math.min(booking.endsAt, salesEndOf(event));
}

/** Whether the time for paying a booking is over. */
export function isOver(booking: Doc<"bookings">, event: Doc<"events">): boolean {
  if (booking.state !== "pending" || booking.by === "desk") return false;
  const now = Date.now();
  return now >= salesEndOf(event) || (booking.endsAt !== undefined && now >= booking.endsAt);
}

/** Sees to it that a booking lapses at its end. */
export async function scheduleEnd(
  ctx: MutationCtx,
  event: Doc<"events">,
  endsAt: number | undefined,
): Promise<void> {
  if (endsAt === undefined) return;
  // If the event is moved, the former may be the end after all.
  await ctx.scheduler.runAt(endsAt, internal.holds.lapse, { event: event._id });
  const salesEnd = salesEndOf(event);
  if (salesEnd < endsAt) {
    await ctx.scheduler.runAt(salesEnd, internal.holds.lapse, { event: event._id });
  }
}

/** The same for all bookings of an event that was moved. */
export async function scheduleSalesEnd(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  const now = Date.now();
  const salesEnd = salesEndOf(event);
  if (salesEnd > now && salesEnd <= now + OFFER_MS + EXTEND_MS) {
    await ctx.scheduler.runAt(salesEnd, internal.holds.lapse, { event: event._id });
  }
}

/** Ends the bookings of an event whose time is over. Offers nothing; returns how many they were. */
export async function lapseOverdue(ctx: MutationCtx, id: Id<"events">): Promise<number> {
  const event = await ctx.db.get("events", id);
  if (event === null) return 0;
  const now = Date.now();
  const pending =
    now < salesEndOf(event)
      ? await ctx.db
          .query("bookings")
          .withIndex("by_event_and_state_and_endsAt", (q) =>
            q.eq("event", id).eq("state", "pending").gte("endsAt", 0).lte("endsAt", now),
          )
          .take(BATCH)
      : [
          ...(await ctx.db
            .query("bookings")
            .withIndex("by_event_and_state_and_by", (q) =>
              q.eq("event", id).eq("state", "pending").eq("by", "web"),
            )
            .take(BATCH)),
          ...(await ctx.db
            .query("bookings")
            .withIndex("by_event_and_state_and_by", (q) =>
              q.eq("event", id).eq("state", "pending").eq("by", "offer"),
            )
            .take(BATCH)),
        ];
  let count = 0;
  for (const booking of pending) {
    if (!isOver(booking, event)) continue;
    await giveBack(ctx, booking);
    await ctx.db.patch("bookings", booking._id, { state: "lapsed", changedAt: now });
    await payBackAll(ctx, booking._id);
    count += 1;
  }
  if (count >= BATCH) await ctx.scheduler.runAfter(0, internal.holds.lapse, { event: id });
  return count;
}
