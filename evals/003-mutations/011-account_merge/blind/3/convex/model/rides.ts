// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { changeCredit, notify } from "./accounts";
import { idsOf } from "./riders";

/*
 * - A rider has one sign-up for a ride at most. It is `going` if there was a place, else `waiting`.
 * - Both cost the ride's price when they are made. When one ends, what was paid comes back.
 * - A place that becomes free before the start goes at once to whoever has waited longest, and they
 *   are told. Nobody waits while a place is free.
 * - From the start on nobody signs up or leaves, and nobody moves up.
 * - A day before the start everybody who is going is reminded, once.
 * - While a merged account moves, its rider may have several sign-ups for a ride. Only the first by
 *   `bySeniority` counts. The others end when the rows move, or before, when the one that counts ends.
 */

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Sorts sign-ups of one rider for one ride, the one that counts first. */
export function bySeniority(a: Doc<"signups">, b: Doc<"signups">): number {
  if (a.state !== b.state) return a.state === "going" ? -1 : 1;
  return a.since - b.since || a._creationTime - b._creationTime;
}

/** Returns the sign-ups for a ride that stand under some ids of one rider, the one that counts first. */
export async function signupsUnder(
  ctx: QueryCtx,
  ride: Id<"rides">,
  ids: Id<"riders">[],
): Promise<Doc<"signups">[]> {
  const signups: Doc<"signups">[] = [];
  for (const id of ids) {
    const signup = await ctx.db
      .query("signups")
      .withIndex("by_ride_and_rider", (q) => q.eq("ride", ride).eq("rider", id))
      .unique();
    if (signup !== null) signups.push(signup);
  }
  return signups.sort(bySeniority);
}

/** Returns the sign-up of a rider for a ride that counts. */
export async function findSignup(
  ctx: QueryCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups"> | null> {
  const signups = await signupsUnder(ctx, ride, await idsOf(ctx, rider));
  return signups.at(0) ?? null;
}

/** The rides of a club that have not started. */
export async function comingRides(ctx: QueryCtx, club: Id<"clubs">): Promise<Doc<"rides">[]> {
  return await ctx.db
    .query("rides")
    .withIndex("by_club_and_start", (q) => q.eq("club", club).gt("startsAt", Date.now()))
    .take(30);
}

/** Returns the sign-up that has waited longest for a ride, of those that count. */
async function findNext(ctx: QueryCtx, ride: Id<"rides">): Promise<Doc<"signups"> | null> {
  const waiting = ctx.db
    .query("signups")
    .withIndex("by_ride_and_state", (q) => q.eq("ride", ride).eq("state", "waiting"));
  for await (const signup of waiting) {
    const ids = await idsOf(ctx, signup.rider);
    if (ids.length === 1) return signup;
    const signups = await signupsUnder(ctx, ride, ids);
    if (signups.at(0)?._id === signup._id) return signup;
  }
  return null;
}

/** Ends a sign-up: its reminder, its money and, if it is going, its place. */
export async function release(ctx: MutationCtx, signup: Doc<"signups">): Promise<void> {
  const ride = (await ctx.db.get("rides", signup.ride)) ?? refuse("not_found");
  const now = Date.now();
  await ctx.db.delete("signups", signup._id);
  if (signup.reminder !== undefined && now < ride.startsAt - DAY_MS) {
    await ctx.scheduler.cancel(signup.reminder);
  }
  await changeCredit(ctx, signup.rider, signup.paid, `Back for ${ride.title}`);
  if (signup.state === "waiting") return;
  const next = now < ride.startsAt ? await findNext(ctx, ride._id) : null;
  if (next === null) {
    await ctx.db.patch("rides", ride._id, { going: ride.going - 1 });
    return;
  }
  await ctx.db.patch("signups", next._id, { state: "going" });
  await notify(ctx, next.rider, `You have a place: ${ride.title}`);
}

/** Ends whatever stands for a ride under the ids of one rider. Returns whether there was anything. */
export async function releaseUnder(
  ctx: MutationCtx,
  ride: Id<"rides">,
  ids: Id<"riders">[],
): Promise<boolean> {
  const signups = await signupsUnder(ctx, ride, ids);
  // The one that counts comes last, so that no other can move up in its place.
  for (const signup of signups.reverse()) await release(ctx, signup);
  return signups.length > 0;
}
