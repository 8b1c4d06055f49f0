// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { idsOf } from "./riders";
import { comingRides, releaseUnder } from "./rides";

/*
 * - A rider has one membership in a club at most. Members may sign up for the club's rides, guides
 *   may also plan rides, admins may also decide about people.
 * - The owner of a club is a member and an admin, and cannot leave or be banned before somebody else
 *   owns it.
 * - A rider has one ban from a club at most. Who is banned from a club is no member, and has no
 *   sign-up for a ride of the club that has not started.
 * - To leave a club changes no sign-up.
 * - Clubs, memberships and bans never name a merged account: look the rider's present id up first.
 */

export async function findMembership(
  ctx: QueryCtx,
  club: Id<"clubs">,
  rider: Id<"riders">,
): Promise<Doc<"memberships"> | null> {
  return await ctx.db
    .query("memberships")
    .withIndex("by_club_and_rider", (q) => q.eq("club", club).eq("rider", rider))
    .unique();
}

export async function findBan(
  ctx: QueryCtx,
  club: Id<"clubs">,
  rider: Id<"riders">,
): Promise<Doc<"bans"> | null> {
  return await ctx.db
    .query("bans")
    .withIndex("by_club_and_rider", (q) => q.eq("club", club).eq("rider", rider))
    .unique();
}

/** Returns the membership of somebody who may do what these roles may do. */
export async function requireRole(
  ctx: QueryCtx,
  club: Id<"clubs">,
  rider: Id<"riders">,
  ...roles: Doc<"memberships">["role"][]
): Promise<Doc<"memberships">> {
  const membership = (await findMembership(ctx, club, rider)) ?? refuse("not_member");
  if (!roles.includes(membership.role)) refuse("not_allowed");
  return membership;
}

/** Ends a membership, if there is one. */
export async function endMembership(
  ctx: MutationCtx,
  club: Doc<"clubs">,
  rider: Id<"riders">,
): Promise<void> {
  const membership = await findMembership(ctx, club._id, rider);
  if (membership === null) return;
  await ctx.db.delete("memberships", membership._id);
  await ctx.db.patch("clubs", club._id, { size: club.size - 1 });
}

/** Takes everything from a rider that nobody has who is banned. */
export async function expel(
  ctx: MutationCtx,
  club: Doc<"clubs">,
  rider: Id<"riders">,
): Promise<void> {
  await endMembership(ctx, club, rider);
  const ids = await idsOf(ctx, rider);
  for (const ride of await comingRides(ctx, club._id)) await releaseUnder(ctx, ride._id, ids);
}
