// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import {
  internalMutation,
  mutation,
  type MutationCtx,
  type QueryCtx,
} from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { mergeBans, mergeMemberships } from "../model/clubs";
import { currentRider } from "../model/merged";
import { settleSignup } from "../model/rides";

/** How many rows one call moves at most. */
const MAX_MOVED = 100;

/** Makes one account a part of another. What an account may have much of is moved by `move`. */
export const merge = mutation({
  args: { from: v.id("riders"), into: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const from = (await currentRider(ctx, args.from)) ?? refuse("not_found");
    const into = (await currentRider(ctx, args.into)) ?? refuse("not_found");
    if (from._id === into._id) return null;

    const parts = await ctx.db
      .query("riders")
      .withIndex("by_merged_into", (q) => q.eq("mergedInto", from._id))
      .collect();
    for (const part of parts) await ctx.db.patch("riders", part._id, { mergedInto: into._id });
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

    const logins = await ctx.db
      .query("logins")
      .withIndex("by_rider", (q) => q.eq("rider", from._id))
      .collect();
    for (const login of logins) await ctx.db.patch("logins", login._id, { rider: into._id });

    await mergeMemberships(ctx, from._id, into._id);
    await mergeBans(ctx, from._id, into._id);
    return null;
  },
});

/** Moves rows from one account to another. Returns how many these were: fewer than the limit are all. */
async function moveRows(
  ctx: MutationCtx,
  from: Id<"riders">,
  into: Id<"riders">,
  limit: number,
): Promise<number> {
  const tables = [
    async (count: number): Promise<number> => {
      const rows = await ctx.db
        .query("signups")
        .withIndex("by_rider", (q) => q.eq("rider", from))
        .take(count);
      for (const { _id, ride } of rows) {
        const signup = await settleSignup(ctx, ride, into);
        if (signup?._id === _id) await ctx.db.patch("signups", _id, { rider: into });
      }
      return rows.length;
    },
    async (count: number): Promise<number> => {
      const rows = await ctx.db
        .query("rides")
        .withIndex("by_guide", (q) => q.eq("guide", from))
        .take(count);
      for (const { _id } of rows) await ctx.db.patch("rides", _id, { guide: into });
      return rows.length;
    },
    async (count: number): Promise<number> => {
      const rows = await ctx.db
        .query("notices")
        .withIndex("by_rider", (q) => q.eq("rider", from))
        .take(count);
      for (const { _id } of rows) await ctx.db.patch("notices", _id, { rider: into });
      return rows.length;
    },
    async (count: number): Promise<number> => {
      const rows = await ctx.db
        .query("entries")
        .withIndex("by_rider", (q) => q.eq("rider", from))
        .take(count);
      for (const { _id } of rows) await ctx.db.patch("entries", _id, { rider: into });
      return rows.length;
    },
    async (count: number): Promise<number> => {
      const rows = await ctx.db
        .query("topUps")
        .withIndex("by_rider", (q) => q.eq("rider", from))
        .take(count);
      for (const { _id } of rows) await ctx.db.patch("topUps", _id, { rider: into });
      return rows.length;
    },
  ];
  let moved = 0;
  for (const moveTable of tables) {
    if (moved < limit) moved += await moveTable(limit - moved);
  }
  return moved;
}

const firstMoving = async (ctx: QueryCtx): Promise<Doc<"riders"> | null> =>
  await ctx.db
    .query("riders")
    .withIndex("by_moving", (q) => q.eq("isMoving", true))
    .first();

/** Moves rows of accounts that were merged. Returns whether none are left. */
export const move = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = MAX_MOVED;
    let from = await firstMoving(ctx);
    while (from !== null && left > 0) {
      const into = from.mergedInto ?? refuse("not_found");
      const moved = await moveRows(ctx, from._id, into, left);
      const isDone = moved < left;
      if (isDone) await ctx.db.patch("riders", from._id, { isMoving: undefined });
      // To end with an account counts too, so that one call ends with few of them.
      left -= isDone ? moved + 1 : moved;
      from = await firstMoving(ctx);
    }
    return from === null;
  },
});
