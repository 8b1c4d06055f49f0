// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { BATCH } from "./limits";

/** How long a closed workspace can be opened again. */
const KEPT = 2 * 24 * 60 * 60 * 1000;

/** Delete the oldest closed workspace with everything that is in it, then the next. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    const workspace = await ctx.db
      .query("workspaces")
      .withIndex("by_closedAt", (q) => q.gt("closedAt", undefined).lt("closedAt", Date.now() - KEPT))
      .first();
    if (workspace === null) {
      return;
    }
    if ((await deleteSome(ctx, workspace._id)) === 0) {
      await ctx.db.delete("workspaces", workspace._id);
    }
    await ctx.scheduler.runAfter(0, internal.jobs.purge.run, {});
  },
});

/** Delete up to a batch of a workspace's documents, and return how many. */
async function deleteSome(ctx: MutationCtx, workspace: Id<"workspaces">): Promise<number> {
  const members = await ctx.db
    .query("members")
    .withIndex("by_workspace_and_user", (q) => q.eq("workspace", workspace))
    .take(BATCH);
  for (const member of members) {
    await ctx.db.delete("members", member._id);
  }
  let deleted = members.length;
  const pages = await ctx.db
    .query("pages")
    .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
    .take(BATCH - deleted);
  for (const page of pages) {
    await ctx.db.delete("pages", page._id);
  }
  deleted += pages.length;
  const entries = await ctx.db
    .query("activity")
    .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
    .take(BATCH - deleted);
  for (const entry of entries) {
    await ctx.db.delete("activity", entry._id);
  }
  deleted += entries.length;
  const invitations = await ctx.db
    .query("invitations")
    .withIndex("by_workspace_and_expiresAt", (q) => q.eq("workspace", workspace))
    .take(BATCH - deleted);
  for (const invitation of invitations) {
    await ctx.db.delete("invitations", invitation._id);
  }
  return deleted + invitations.length;
}
