// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { insertRows } from "./lib/members";

const MOST = 100;

/** Moves the first members of an array behind those that are in the table already. */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const workspace = await ctx.db
      .query("workspaces")
      .withIndex("by_moved", (q) => q.eq("moved", undefined))
      .first();
    if (workspace === null) return true;
    const members = workspace.members ?? [];
    await insertRows(ctx, workspace._id, members.slice(0, MOST));
    const rest = members.slice(MOST);
    await ctx.db.patch(
      "workspaces",
      workspace._id,
      rest.length > 0 ? { members: rest } : { members: undefined, moved: true },
    );
    return false;
  },
});
