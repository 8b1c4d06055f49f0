// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { comingRides, release, settleSignup } from "./rides";

/*
 * - A rider has one membership in a club at most. Members may sign up for the club's rides, guides
 *   may also plan rides, admins may also decide about people.
 * - The owner of a club is a member and an admin, and cannot leave or be banned before somebody else
 *   owns it.
 * - A rider has one ban from a club at most. Who is banned from a club is no member, and has no
 *   sign-up for a ride of the club that has not started.
 * - To leave a club changes no sign-up.
 */

const RANKS = { member: 0, guide: 1, admin: 2 };

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
  for (const ride of await comingRides(ctx, club._id)) {
    const signup = await settleSignup(ctx, ride._id, rider);
    if (signup !== null) await release(ctx, signup);
  }
}

/** Makes the memberships and clubs of one rider those of another, who keeps the higher role. */
export async function mergeMemberships(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
): Promise<void> {
  const memberships = await ctx.db
    .query("memberships")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .collect();
  for (const { _id, club: id, role } of memberships) {
    const club = (await ctx.db.get("clubs", id)) ?? refuse("not_found");
    if (club.owner === from) await ctx.db.patch("clubs", id, { owner: into });
    const other = await findMembership(ctx, id, into);
    if (other === null) {
      await ctx.db.patch("memberships", _id, { rider: into });
      continue;
    }
    if (RANKS[role] > RANKS[other.role]) await ctx.db.patch("memberships", other._id, { role });
    await endMembership(ctx, club, from);
  }
}

/** Makes the bans of one rider those of another, who has the memberships, clubs and sign-ups of both. */
export async function mergeBans(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
): Promise<void> {
  const bansOf = async (rider: Id<"riders">): Promise<Doc<"bans">[]> =>
    await ctx.db
      .query("bans")
      .withIndex("by_rider", (q) => q.eq("rider", rider))
      .collect();
  for (const ban of [...(await bansOf(into)), ...(await bansOf(from))]) {
    const club = (await ctx.db.get("clubs", ban.club)) ?? refuse("not_found");
    if (club.owner === into) {
      await ctx.db.delete("bans", ban._id);
      continue;
    }
    if (ban.rider === from) {
      const other = await findBan(ctx, ban.club, into);
      if (other === null) await ctx.db.patch("bans", ban._id, { rider: into });
      else await ctx.db.delete("bans", ban._id);
    }
    await expel(ctx, club, into);
  }
}
