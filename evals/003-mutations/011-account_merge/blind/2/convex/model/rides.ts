// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { changeCredit, notify } from "./accounts";
import { idsOf } from "./merged";

/*
 * - A rider has one sign-up for a ride at most. It is `going` if there was a place, else `waiting`.
 * - Both cost the ride's price when they are made. When one ends, what was paid comes back.
 * - A place that becomes free before the start goes at once to whoever has waited longest, and they
 *   are told. Nobody waits while a place is free.
 * - From the start on nobody signs up or leaves, and nobody moves up.
 * - A day before the start everybody who is going is reminded, once.
 *
 * While an account that was merged still moves, there can be a row for each of a rider's accounts. One
 * of them is the rider's sign-up; the others have ended, and are only to be cleared away.
 */

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Which of two rows of one rider for one ride comes first: going, then the earlier one. */
function compareRows(one: Doc<"signups">, other: Doc<"signups">): number {
  if (one.state !== other.state) return one.state === "going" ? -1 : 1;
  return one.since - other.since || one._creationTime - other._creationTime;
}

/** The rows that a rider has for a ride. The first one is the sign-up. */
export async function signupRows(
  ctx: QueryCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups">[]> {
  const rows: Doc<"signups">[] = [];
  for (const id of await idsOf(ctx, rider)) {
    const row = await ctx.db
      .query("signups")
      .withIndex("by_ride_and_rider", (q) => q.eq("ride", ride).eq("rider", id))
      .unique();
    if (row !== null) rows.push(row);
  }
  return rows.sort(compareRows);
}

export async function findSignup(
  ctx: QueryCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups"> | null> {
  const rows = await signupRows(ctx, ride, rider);
  return rows.at(0) ?? null;
}

/** Whether a row is its rider's sign-up, rather than one that has ended by a merger. */
export async function isSignup(ctx: QueryCtx, row: Doc<"signups">): Promise<boolean> {
  const signup = await findSignup(ctx, row.ride, row.rider);
  return signup?._id === row._id;
}

/** Returns a rider's sign-up for a ride, as the only row: the others are cleared away. */
export async function settleSignup(
  ctx: MutationCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups"> | null> {
  const rows = await signupRows(ctx, ride, rider);
  const signup = rows.at(0);
  if (signup === undefined) return null;
  const others = rows.slice(1);
  for (const other of others) await release(ctx, other);
  if (others.some(({ isReminded }) => isReminded === true)) {
    await ctx.db.patch("signups", signup._id, { isReminded: true });
  }
  return signup;
}

/** The rides of a club that have not started. */
export async function comingRides(ctx: QueryCtx, club: Id<"clubs">): Promise<Doc<"rides">[]> {
  return await ctx.db
    .query("rides")
    .withIndex("by_club_and_start", (q) => q.eq("club", club).gt("startsAt", Date.now()))
    .take(30);
}

/** The sign-up that has waited longest. */
async function longestWaiting(
  ctx: QueryCtx,
  ride: Id<"rides">,
): Promise<Doc<"signups"> | null> {
  const rows = ctx.db
    .query("signups")
    .withIndex("by_ride_and_state", (q) => q.eq("ride", ride).eq("state", "waiting"));
  for await (const row of rows) {
    if (await isSignup(ctx, row)) return row;
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
  const next = now < ride.startsAt ? await longestWaiting(ctx, ride._id) : null;
  if (next === null) {
    await ctx.db.patch("rides", ride._id, { going: ride.going - 1 });
    return;
  }
  await ctx.db.patch("signups", next._id, { state: "going" });
  await notify(ctx, next.rider, `You have a place: ${ride.title}`);
}
