// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { moveMembers } from "./lib/members";

/** A call moves at most so many members. */
const MOST_MOVED = 100;
const MOST_WORKSPACES = 100;

/** Moves members from the arrays of workspaces to their table. Returns whether all are moved. */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = MOST_MOVED;
    for (let i = 0; i < MOST_WORKSPACES && left > 0; i++) {
      const workspace = await ctx.db
        .query("workspaces")
        .withIndex("by_moved", (q) => q.eq("isMoved", undefined))
        .first();
      if (workspace === null) return true;
      left -= await moveMembers(ctx, workspace, left);
    }
    const next = await ctx.db
      .query("workspaces")
      .withIndex("by_moved", (q) => q.eq("isMoved", undefined))
      .first();
    return next === null;
  },
});
