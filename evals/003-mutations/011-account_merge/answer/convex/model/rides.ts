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
 */

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the sign-up that counts: of a merged rider it may still be another account's. */
export async function findSignup(
  ctx: QueryCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups"> | null> {
  const [best] = await findSignups(ctx, ride, rider);
  return best ?? null;
}

/** Returns the sign-ups of all accounts of a rider, the one that counts first. */
async function findSignups(
  ctx: QueryCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups">[]> {
  const signups = [];
  for (const account of await accountsOf(ctx, rider)) {
    const signup = await ctx.db
      .query("signups")
      .withIndex("by_ride_and_rider", (q) => q.eq("ride", ride).eq("rider", account))
      .unique();
    if (signup !== null) signups.push(signup);
  }
  const rank = ({ state }: Doc<"signups">) => (state === "going" ? 0 : 1);
  return signups.sort((a, b) => rank(a) - rank(b) || a.since - b.since);
}

/** Makes one sign-up of those of all accounts of a rider, and returns it. */
export async function gatherSignups(
  ctx: MutationCtx,
  ride: Id<"rides">,
  rider: Id<"riders">,
): Promise<Doc<"signups"> | null> {
  const [best, ...others] = await findSignups(ctx, ride, rider);
  if (best === undefined) return null;
  // Those that wait end first: the rider must not move up on a place of their own.
  for (const other of others.reverse()) await release(ctx, other);
  if (best.rider !== rider) await ctx.db.patch("signups", best._id, { rider });
  return { ...best, rider };
}

/** The rides of a club that have not started. */
export async function comingRides(ctx: QueryCtx, club: Id<"clubs">): Promise<Doc<"rides">[]> {
  return await ctx.db
    .query("rides")
    .withIndex("by_club_and_start", (q) => q.eq("club", club).gt("startsAt", Date.now()))
    .take(30);
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
  const next =
    now < ride.startsAt
      ? await ctx.db
          .query("signups")
          .withIndex("by_ride_and_state", (q) => q.eq("ride", ride._id).eq("state", "waiting"))
          .first()
      : null;
  if (next === null) {
    await ctx.db.patch("rides", ride._id, { going: ride.going - 1 });
    return;
  }
  await ctx.db.patch("signups", next._id, { state: "going" });
  await notify(ctx, next.rider, `You have a place: ${ride.title}`);
}
