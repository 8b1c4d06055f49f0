// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, mutation } from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { mergeRiders, moveRows } from "../model/merging";
import { findRider } from "../model/riders";

const MAX_ROWS = 100;

/** Makes an account a part of another one. To merge accounts that are one already does nothing. */
export const merge = mutation({
  args: { from: v.id("riders"), into: v.id("riders") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireStaff(ctx);
    const from = (await findRider(ctx, args.from)) ?? refuse("not_found");
    const into = (await findRider(ctx, args.into)) ?? refuse("not_found");
    if (from._id !== into._id) await mergeRiders(ctx, from, into);
    return null;
  },
});

/** Moves some rows of merged accounts. Returns whether all have moved. */
export const move = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = MAX_ROWS;
    while (left > 0) {
      const next = await ctx.db
        .query("merges")
        .withIndex("by_isMoved", (q) => q.eq("isMoved", false))
        .first();
      if (next === null) return true;
      const moved = await moveRows(ctx, next, left);
      if (moved === left) return false;
      await ctx.db.patch("merges", next._id, { isMoved: true });
      // An account costs something even if it has no rows.
      left -= Math.max(moved, 1);
    }
    return false;
  },
});
