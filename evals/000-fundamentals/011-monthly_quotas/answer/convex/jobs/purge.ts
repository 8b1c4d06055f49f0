// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { countLeft, giveBack } from "../usage/count";
import { BATCH } from "./limits";

/** Delete what is left of projects that were deleted, one after the other. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    const project = await ctx.db
      .query("projects")
      .withIndex("by_deletedAt", (q) => q.gt("deletedAt", undefined))
      .first();
    if (project === null) {
      return;
    }
    if ((await deleteSome(ctx, project._id)) === 0) {
      const { _id, name } = project;
      await ctx.db.insert("formerProjects", { project: _id, name });
      await ctx.db.delete("projects", _id);
    }
    await ctx.scheduler.runAfter(0, internal.jobs.purge.run, {});
  },
});

/** Delete up to a batch of a project's documents, and return how many. */
async function deleteSome(ctx: MutationCtx, project: Id<"projects">): Promise<number> {
  const keys = await ctx.db
    .query("keys")
    .withIndex("by_project", (q) => q.eq("project", project))
    .take(BATCH);
  for (const key of keys) {
    await ctx.db.delete("keys", key._id);
  }
  const images = await ctx.db
    .query("images")
    .withIndex("by_project", (q) => q.eq("project", project))
    .take(BATCH - keys.length);
  for (const image of images) {
    await ctx.db.delete("images", image._id);
  }
  // One that still runs has a second write: what it gives back.
  const batches = await ctx.db
    .query("batches")
    .withIndex("by_project_and_state", (q) => q.eq("project", project))
    .take(Math.floor((BATCH - keys.length - images.length) / 2));
  for (const batch of batches) {
    await giveBack(ctx, batch, countLeft(batch));
    await ctx.db.delete("batches", batch._id);
  }
  return keys.length + images.length + batches.length;
}
