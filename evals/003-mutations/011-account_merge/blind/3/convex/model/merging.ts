// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { expel, findBan, findMembership } from "./clubs";
import { bySeniority, release } from "./rides";

type Role = Doc<"memberships">["role"];
type Merge = Doc<"merges">;

const ROLES: Role[] = ["member", "guide", "admin"];

const higherRole = (one: Role, other: Role): Role =>
  ROLES.indexOf(one) > ROLES.indexOf(other) ? one : other;

/**
 * Makes one rider of two. What an account has few of moves at once, the rest later, by `moveRows`;
 * until then it is found by `idsOf`.
 */
export async function mergeRiders(
  ctx: MutationCtx,
  from: Doc<"riders">,
  into: Doc<"riders">,
): Promise<void> {
  const earlier = await ctx.db
    .query("merges")
    .withIndex("by_into_and_isMoved", (q) => q.eq("into", from._id))
    .collect();
  for (const { _id } of earlier) await ctx.db.patch("merges", _id, { into: into._id });
  await ctx.db.insert("merges", { from: from._id, into: into._id, isMoved: false });
  await ctx.db.patch("riders", into._id, {
    credit: into.credit + from.credit,
    unread: into.unread + from.unread,
  });
  await ctx.db.delete("riders", from._id);
  const logins = await ctx.db
    .query("logins")
    .withIndex("by_rider", (q) => q.eq("rider", from._id))
    .collect();
  for (const { _id } of logins) await ctx.db.patch("logins", _id, { rider: into._id });
  await mergeMemberships(ctx, from._id, into._id);
  await mergeBans(ctx, from._id, into._id);
}

async function mergeMemberships(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
): Promise<void> {
  const memberships = await ctx.db
    .query("memberships")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .collect();
  for (const { _id, club: clubId, role } of memberships) {
    const club = await ctx.db.get("clubs", clubId);
    if (club?.owner === from) await ctx.db.patch("clubs", clubId, { owner: into });
    const other = await findMembership(ctx, clubId, into);
    if (other === null) {
      await ctx.db.patch("memberships", _id, { rider: into });
      continue;
    }
    await ctx.db.patch("memberships", other._id, { role: higherRole(role, other.role) });
    await ctx.db.delete("memberships", _id);
    if (club !== null) await ctx.db.patch("clubs", clubId, { size: club.size - 1 });
  }
}

/** Comes after the memberships, which tell what the rider owns. */
async function mergeBans(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
): Promise<void> {
  const moving = await ctx.db
    .query("bans")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .collect();
  for (const { _id, club } of moving) {
    if ((await findBan(ctx, club, into)) === null) await ctx.db.patch("bans", _id, { rider: into });
    else await ctx.db.delete("bans", _id);
  }
  const bans = await ctx.db
    .query("bans")
    .withIndex("by_rider", (q) => q.eq("rider", into))
    .collect();
  for (const { _id, club: clubId } of bans) {
    const club = await ctx.db.get("clubs", clubId);
    if (club === null) continue;
    if (club.owner === into) await ctx.db.delete("bans", _id);
    else await expel(ctx, club, into);
  }
}

/** Moves at most so many rows of a merged account, which is at least one. Returns how many. */
export async function moveRows(ctx: MutationCtx, merge: Merge, limit: number): Promise<number> {
  let moved = 0;
  for (const moveSome of [moveSignups, moveEntries, moveNotices, moveTopUps, moveRides]) {
    if (moved < limit) moved += await moveSome(ctx, merge, limit - moved);
  }
  return moved;
}

async function moveSignups(ctx: MutationCtx, { from, into }: Merge, limit: number) {
  const signups = await ctx.db
    .query("signups")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(limit);
  for (const signup of signups) {
    const other = await ctx.db
      .query("signups")
      .withIndex("by_ride_and_rider", (q) => q.eq("ride", signup.ride).eq("rider", into))
      .unique();
    if (other === null) {
      await ctx.db.patch("signups", signup._id, { rider: into });
      continue;
    }
    const isFirst = bySeniority(signup, other) < 0;
    const stays = isFirst ? signup : other;
    const ends = isFirst ? other : signup;
    await release(ctx, ends);
    await ctx.db.patch("signups", stays._id, {
      rider: into,
      ...(ends.isReminded === true ? { isReminded: true } : {}),
    });
  }
  return signups.length;
}

async function moveEntries(ctx: MutationCtx, { from, into }: Merge, limit: number) {
  const entries = await ctx.db
    .query("entries")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(limit);
  for (const { _id } of entries) await ctx.db.patch("entries", _id, { rider: into });
  return entries.length;
}

async function moveNotices(ctx: MutationCtx, { from, into }: Merge, limit: number) {
  const notices = await ctx.db
    .query("notices")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(limit);
  for (const { _id } of notices) await ctx.db.patch("notices", _id, { rider: into });
  return notices.length;
}

async function moveTopUps(ctx: MutationCtx, { from, into }: Merge, limit: number) {
  const topUps = await ctx.db
    .query("topUps")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(limit);
  for (const { _id } of topUps) await ctx.db.patch("topUps", _id, { rider: into });
  return topUps.length;
}

async function moveRides(ctx: MutationCtx, { from, into }: Merge, limit: number) {
  const rides = await ctx.db
    .query("rides")
    .withIndex("by_guide", (q) => q.eq("guide", from))
    .take(limit);
  for (const { _id } of rides) await ctx.db.patch("rides", _id, { guide: into });
  return rides.length;
}
