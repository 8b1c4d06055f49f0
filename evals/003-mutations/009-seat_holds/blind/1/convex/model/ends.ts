// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { salesEndOf } from "./events";

/** The end of a booking that gets so much time from now: with the web sales at the latest. */
export function endAfter(event: Doc<"events">, time: number): number {
  return Math.min(Date.now() + time, salesEndOf(event));
}

/** Whether a booking is still pending although its end has come. */
export function isOverdue({ state, expiresAt }: Doc<"bookings">): boolean {
  return state === "pending" && expiresAt !== undefined && expiresAt <= Date.now();
}

/** Has an event's bookings looked through when an end comes. */
export async function lapseAt(
  ctx: MutationCtx,
  event: Id<"events">,
  time: number,
): Promise<void> {
  await ctx.scheduler.runAt(time, internal.lapses.run, { event });
}

/** Moves ends that come after an event's end of sales to it. There are not more than seats. */
export async function shortenEnds(ctx: MutationCtx, event: Doc<"events">): Promise<void> {
  const latest = salesEndOf(event);
  const bookings = await ctx.db
    .query("bookings")
    .withIndex("by_event_and_state_and_expiresAt", (q) =>
      q.eq("event", event._id).eq("state", "pending").gt("expiresAt", latest),
    )
    .collect();
  for (const { _id } of bookings) await ctx.db.patch("bookings", _id, { expiresAt: latest });
  if (bookings.length > 0 && latest > Date.now()) await lapseAt(ctx, event._id, latest);
}
