// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "../_generated/dataModel";
import { internalMutation, mutation, type MutationCtx } from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { accountsOf, survivorOf } from "../model/accounts";
import { mergeClubs } from "../model/clubs";
import { gatherSignups } from "../model/rides";

/** How many rows a call moves. */
const BATCH = 100;

/**
 * Makes one account a part of another. What is little moves at once, the rest by `move`; until all is
 * moved, what is still under the old account is found by `accountsOf` and `survivorOf`.
 */
export const merge = mutation({
  args: { from: v.id("riders"), into: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const from = await survivorOf(ctx, args.from);
    const into = await survivorOf(ctx, args.into);
    if (from === into) return null;
    const former = (await ctx.db.get("riders", from)) ?? refuse("not_found");
    const { credit, unread } = (await ctx.db.get("riders", into)) ?? refuse("not_found");
    await ctx.db.patch("riders", into, {
      credit: credit + former.credit,
      unread: unread + former.unread,
    });
    await ctx.db.patch("riders", from, {
      credit: 0,
      unread: 0,
      mergedInto: into,
      isMoving: true,
    });
    const earlier = await ctx.db
      .query("riders")
      .withIndex("by_merged", (q) => q.eq("mergedInto", from))
      .take(100);
    for (const { _id } of earlier) await ctx.db.patch("riders", _id, { mergedInto: into });
    const logins = await ctx.db
      .query("logins")
      .withIndex("by_rider", (q) => q.eq("rider", from))
      .take(100);
    for (const { _id } of logins) await ctx.db.patch("logins", _id, { rider: into });
    await mergeClubs(ctx, from, into);
    return null;
  },
});

/** Moves some rows of merged accounts; returns whether that is all. */
export const move = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let room = BATCH;
    while (room > 0) {
      const former = await ctx.db
        .query("riders")
        .withIndex("by_moving", (q) => q.eq("isMoving", true))
        .first();
      if (former === null) return true;
      room -= await moveRows(ctx, former._id, room);
    }
    return false;
  },
});

/** Moves rows of an account, so many at most; returns how much of this was used up. */
async function moveRows(ctx: MutationCtx, from: Id<"riders">, room: number): Promise<number> {
  const rider = await survivorOf(ctx, from);
  // With a sign-up those of all accounts that still move become one.
  const others = (await accountsOf(ctx, rider)).length - 1;
  const most = Math.floor(room / others);
  const signups = await ctx.db
    .query("signups")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(most);
  for (const { ride } of signups) await gatherSignups(ctx, ride, rider);
  if (signups.length === most) return room;
  let left = room - signups.length * others;
  const entries = await ctx.db
    .query("entries")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(left);
  for (const { _id } of entries) await ctx.db.patch("entries", _id, { rider });
  left -= entries.length;
  const notices = await ctx.db
    .query("notices")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(left);
  for (const { _id } of notices) await ctx.db.patch("notices", _id, { rider });
  left -= notices.length;
  const topUps = await ctx.db
    .query("topUps")
    .withIndex("by_rider", (q) => q.eq("rider", from))
    .take(left);
  for (const { _id } of topUps) await ctx.db.patch("topUps", _id, { rider });
  left -= topUps.length;
  const rides = await ctx.db
    .query("rides")
    .withIndex("by_guide", (q) => q.eq("guide", from))
    .take(left);
  for (const { _id } of rides) await ctx.db.patch("rides", _id, { guide: rider });
  left -= rides.length;
  if (left > 0) await ctx.db.patch("riders", from, { isMoving: undefined });
  return room - left;
}
