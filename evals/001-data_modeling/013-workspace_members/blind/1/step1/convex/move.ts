// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { moveMembers } from "./lib/members";

/** So many members are moved at once. */
const MOST_MOVED = 100;

/**
 * Moves members out of the arrays of workspaces into their own documents, and returns whether none
 * is left. Call it until it returns true.
 */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let most = MOST_MOVED;
    for await (const workspace of ctx.db.query("workspaces")) {
      if (workspace.members === undefined) continue;
      if (most === 0) return false;
      const { length } = workspace.members;
      await moveMembers(ctx, workspace, most);
      if (length > most) return false;
      most -= length;
    }
    return true;
  },
});
