// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import { internalMutation, mutation } from "../_generated/server";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { findRider } from "../model/accounts";
import { expel, findBan, findMembership } from "../model/clubs";
import { moveSignup } from "../model/rides";

/** The number of rows that are moved at a time. */
const BATCH = 100;

const RANKS: Record<Doc<"memberships">["role"], number> = { member: 0, guide: 1, admin: 2 };

/** Makes an account a part of another one. What it has many rows of, `move` moves later. */
export const merge = mutation({
  args: { from: v.id("riders"), into: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const from = (await findRider(ctx, args.from)) ?? refuse("not_found");
    const into = (await findRider(ctx, args.into)) ?? refuse("not_found");
    if (from._id === into._id) return null;
    await mergeAccounts(ctx, from, into);
    await mergeLogins(ctx, from._id, into._id);
    await mergeClubs(ctx, from._id, into._id);
    await mergeBans(ctx, from._id, into._id);
    return null;
  },
});

async function mergeAccounts(
  ctx: MutationCtx,
  from: Doc<"riders">,
  into: Doc<"riders">,
): Promise<void> {
  const parts = await ctx.db
    .query("riders")
    .withIndex("by_merged_into", (q) => q.eq("mergedInto", from._id))
    .collect();
  for (const { _id } of parts) await ctx.db.patch("riders", _id, { mergedInto: into._id });
  await ctx.db.patch("riders", from._id, {
    credit: 0,
    unread: 0,
    mergedInto: into._id,
    isMoving: true,
  });
  await ctx.db.patch("riders", into._id, {
    credit: into.credit + from.credit,
    unread: into.unread + from.unread,
  });
}

async function mergeLogins(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
): Promise<void> {
  const logins = await ctx.db
    .query("logins")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .collect();
  for (const { _id } of logins) await ctx.db.patch("logins", _id, { rider: into });
}

async function mergeClubs(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
): Promise<void> {
  const owned = await ctx.db
    .query("clubs")
    .withIndex("by_owner", (q) => q.eq("owner", from))
    .collect();
  for (const { _id } of owned) await ctx.db.patch("clubs", _id, { owner: into });
  const memberships = await ctx.db
    .query("memberships")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .collect();
  for (const { _id, club: id, role } of memberships) {
    const own = await findMembership(ctx, id, into);
    if (own === null) {
      await ctx.db.patch("memberships", _id, { rider: into });
      continue;
    }
    await ctx.db.delete("memberships", _id);
    if (RANKS[role] > RANKS[own.role]) await ctx.db.patch("memberships", own._id, { role });
    const club = await ctx.db.get("clubs", id);
    if (club !== null) await ctx.db.patch("clubs", id, { size: club.size - 1 });
  }
}

/** Merges the bans, when clubs and memberships are merged. */
async function mergeBans(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
): Promise<void> {
  const moved = await ctx.db
    .query("bans")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .collect();
  for (const { _id, club } of moved) {
    if ((await findBan(ctx, club, into)) === null) await ctx.db.patch("bans", _id, { rider: into });
    else await ctx.db.delete("bans", _id);
  }
  const bans = await ctx.db
    .query("bans")
    .withIndex("by_rider", (q) => q.eq("rider", into))
    .collect();
  for (const { _id, club: id } of bans) {
    const club = await ctx.db.get("clubs", id);
    if (club === null) continue;
    if (club.owner === into) await ctx.db.delete("bans", _id);
    else await expel(ctx, club, into);
  }
}

/** Moves some rows of merged accounts. Returns whether none are left. */
export const move = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = BATCH;
    let account = await firstMoving(ctx);
    while (account !== null && left > 0) {
      left -= await moveRows(ctx, account._id, left);
      if (left > 0) {
        // Nothing names the account any more.
        await ctx.db.patch("riders", account._id, { isMoving: false });
        left -= 1;
      }
      account = await firstMoving(ctx);
    }
    return account === null;
  },
});

async function firstMoving(ctx: QueryCtx): Promise<Doc<"riders"> | null> {
  return await ctx.db
    .query("riders")
    .withIndex("by_moving", (q) => q.eq("isMoving", true))
    .first();
}

/** Moves at most so many rows of a merged account. Returns how many it moved. */
async function moveRows(ctx: MutationCtx, from: Id<"riders">, limit: number): Promise<number> {
  const { _id: into } = (await findRider(ctx, from)) ?? refuse("not_found");
  let moved = 0;
  for (const moveSome of [moveSignups, moveEntries, moveNotices, moveTopUps, moveRides]) {
    if (moved < limit) moved += await moveSome(ctx, from, into, limit - moved);
  }
  return moved;
}

async function moveSignups(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
  limit: number,
): Promise<number> {
  const rows = await ctx.db
    .query("signups")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(limit);
  for (const { _id } of rows) {
    // An earlier one may have changed it.
    const signup = await ctx.db.get("signups", _id);
    if (signup !== null) await moveSignup(ctx, signup, into);
  }
  return rows.length;
}

async function moveEntries(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
  limit: number,
): Promise<number> {
  const rows = await ctx.db
    .query("entries")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(limit);
  for (const { _id } of rows) await ctx.db.patch("entries", _id, { rider: into });
  return rows.length;
}

async function moveNotices(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
  limit: number,
): Promise<number> {
  const rows = await ctx.db
    .query("notices")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(limit);
  for (const { _id } of rows) await ctx.db.patch("notices", _id, { rider: into });
  return rows.length;
}

async function moveTopUps(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
  limit: number,
): Promise<number> {
  const rows = await ctx.db
    .query("topUps")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(limit);
  for (const { _id } of rows) await ctx.db.patch("topUps", _id, { rider: into });
  return rows.length;
}

async function moveRides(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
  limit: number,
): Promise<number> {
  const rows = await ctx.db
    .query("rides")
    .withIndex("by_guide", (q) => q.eq("guide", from))
    .take(limit);
  for (const { _id } of rows) await ctx.db.patch("rides", _id, { guide: into });
  return rows.length;
}
