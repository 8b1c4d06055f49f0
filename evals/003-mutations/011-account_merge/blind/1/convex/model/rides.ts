// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { accountsOf, changeCredit, notify } from "./accounts";

/*
 * - A rider has one sign-up for a ride at most. It is `going` if there was a place, else `waiting`.
 * - Both cost the ride's price when they are made. When one ends, what was paid comes back.
 * - A place that becomes free before the start goes at once to whoever has waited longest, and they
 *   are told. Nobody waits while a place is free.
 * - From the start on nobody signs up or leaves, and nobody moves up.
 * - A day before the start everybody who is going is reminded, once.
 *
 * While a merged account is moving, its rider may have several rows for one ride. The best one is
 * the sign-up, and the others are as good as ended: nobody sees them, and they never move up.
 */

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Whether a sign-up stays, rather than another one of the same rider for the same ride. */
function isBetter(one: Doc<"signups">, other: Doc<"signups">): boolean {
  if (one.state !== other.state) return one.state === "going";
  if (one.since !== other.since) return one.since < other.since;
  return one._creationTime < other._creationTime;
}

async function signupOfAccount(
  ctx: QueryCtx,
  ride: Id<"rides">,
  account: Id<"riders">,
): Promise<Doc<"signups"> | null> {
  return await ctx.db
    .query("signups")
    .withIndex("by_ride_and_rider", (q) => q.eq("ride", ride).eq("rider", account))
    .unique();
}

/** Returns all rows of a rider for a ride, with the one that is the sign-up first. */
async function signupsOf(
  ctx: QueryCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups">[]> {
  const signups = [];
  for (const account of await accountsOf(ctx, rider)) {
    const signup = await signupOfAccount(ctx, ride, account);
    if (signup !== null) signups.push(signup);
  }
  return signups.sort((one, other) => (isBetter(one, other) ? -1 : 1));
}

export async function findSignup(
  ctx: QueryCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups"> | null> {
  const [signup = null] = await signupsOf(ctx, ride, rider);
  return signup;
}

/** The rides of a club that have not started. */
export async function comingRides(ctx: QueryCtx, club: Id<"clubs">): Promise<Doc<"rides">[]> {
  return await ctx.db
    .query("rides")
    .withIndex("by_club_and_start", (q) => q.eq("club", club).gt("startsAt", Date.now()))
    .take(30);
}

/** Returns the sign-up that has waited longest for a place. */
async function firstWaiting(ctx: QueryCtx, ride: Id<"rides">): Promise<Doc<"signups"> | null> {
  const waiting = ctx.db
    .query("signups")
    .withIndex("by_ride_and_state", (q) => q.eq("ride", ride).eq("state", "waiting"));
  for await (const signup of waiting) {
    const best = await findSignup(ctx, ride, signup.rider);
    if (best?._id === signup._id) return signup;
  }
  return null;
}

/** Ends a sign-up: its reminder, its money and, if it is going, its place. */
async function release(ctx: MutationCtx, signup: Doc<"signups">): Promise<void> {
  const ride = (await ctx.db.get("rides", signup.ride)) ?? refuse("not_found");
  const now = Date.now();
  await ctx.db.delete("signups", signup._id);
  if (signup.reminder !== undefined && now < ride.startsAt - DAY_MS) {
    await ctx.scheduler.cancel(signup.reminder);
  }
  await changeCredit(ctx, signup.rider, signup.paid, `Back for ${ride.title}`);
  if (signup.state === "waiting") return;
  const next = now < ride.startsAt ? await firstWaiting(ctx, ride._id) : null;
  if (next === null) {
    await ctx.db.patch("rides", ride._id, { going: ride.going - 1 });
    return;
  }
  await ctx.db.patch("signups", next._id, { state: "going" });
  await notify(ctx, next.rider, `You have a place: ${ride.title}`);
}

/** Ends what a rider has for a ride. Returns whether there was anything. */
export async function releaseAll(
  ctx: MutationCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<boolean> {
  const signups = await signupsOf(ctx, ride, rider);
  // The best one is the last to end, so that no other one takes its place.
  for (const signup of [...signups].reverse()) await release(ctx, signup);
  return signups.length > 0;
}

/** Gives a merged account's row to its rider, who keeps the better one if they have one already. */
export async function moveSignup(
  ctx: MutationCtx,
  signup: Doc<"signups">,
  rider: Id<"riders">,
): Promise<void> {
  const own = await signupOfAccount(ctx, signup.ride, rider);
  if (own === null) {
    await ctx.db.patch("signups", signup._id, { rider });
    return;
  }
  const isKept = isBetter(signup, own);
  const kept = isKept ? signup : own;
  const ended = isKept ? own : signup;
  await release(ctx, ended);
  const isReminded = kept.isReminded === true || ended.isReminded === true;
  await ctx.db.patch("signups", kept._id, { rider, isReminded });
}
