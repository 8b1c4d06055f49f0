// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, type QueryCtx } from "./_generated/server";
import { appendMember, openRoster, storeRoster } from "./lib/members";

/** The most members that a call moves, and the most workspaces that it looks at. */
const MOST_MEMBERS = 100;
const MOST_WORKSPACES = 10;

async function findUnmoved(ctx: QueryCtx) {
  return await ctx.db
    .query("workspaces")
    .withIndex("by_isMoved", (q) => q.eq("isMoved", undefined))
    .first();
}

/** Gives members documents of their own. Returns whether all have one. */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = MOST_MEMBERS;
    for (let looks = 0; looks < MOST_WORKSPACES && left > 0; looks += 1) {
      const workspace = await findUnmoved(ctx);
      if (workspace === null) return true;
      const roster = openRoster(workspace);
      const batch = roster.members.splice(0, left);
      for (const member of batch) await appendMember(ctx, roster, member);
      await storeRoster(ctx, roster);
      left -= batch.length;
    }
    return (await findUnmoved(ctx)) === null;
  },
});
