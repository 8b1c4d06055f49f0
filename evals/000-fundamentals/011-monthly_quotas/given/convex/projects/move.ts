// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { requireAccount } from "../accounts/manage";
import { requireProject } from "./find";

/**
 * Move a project, with its keys and images, to another account of the same owner. What it used
 * until now was used by the account that it leaves.
 */
export const toAccount = mutation({
  args: { project: v.id("projects"), account: v.id("accounts") },
  returns: v.null(),
  handler: async (ctx, { project, account }) => {
    await requireProject(ctx, project);
    await requireAccount(ctx, account);
    await ctx.db.patch("projects", project, { account });
    return null;
  },
});
