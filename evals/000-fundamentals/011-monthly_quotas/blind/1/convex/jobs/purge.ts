// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { giveBackRest } from "../usage/count";
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
      // What the project used is shown under its last name.
      await ctx.db.insert("formerProjects", { project: project._id, name: project.name });
      await ctx.db.delete("projects", project._id);
    }
    await ctx.scheduler.runAfter(0, internal.jobs.purge.run, {});
  },
});

/** Change or delete up to a batch of a project's documents, and return how many. */
async function deleteSome(ctx: MutationCtx, project: Id<"projects">): Promise<number> {
  let left = BATCH;
  const keys = await ctx.db
    .query("keys")
    .withIndex("by_project", (q) => q.eq("project", project))
    .take(left);
  for (const key of keys) {
    await ctx.db.delete("keys", key._id);
  }
  left -= keys.length;
  const images = await ctx.db
    .query("images")
    .withIndex("by_project", (q) => q.eq("project", project))
    .take(left);
  for (const image of images) {
    await ctx.db.delete("images", image._id);
  }
  left -= images.length;
  const requests = await ctx.db
    .query("requests")
    .withIndex("by_project_and_request", (q) => q.eq("project", project))
    .take(left);
  for (const request of requests) {
    await ctx.db.delete("requests", request._id);
  }
  left -= requests.length;
  const batches = await ctx.db
    .query("batches")
    .withIndex("by_project_and_state", (q) => q.eq("project", project))
    .take(left);
  for (const batch of batches) {
    // A batch that still runs gives its images back, which changes two sums.
    const isCounted = batch.state === "running" && batch.counted !== undefined;
    const cost = isCounted ? 3 : 1;
    if (cost > left) {
      break;
    }
    if (isCounted) {
      await giveBackRest(ctx, batch);
    }
    await ctx.db.delete("batches", batch._id);
    left -= cost;
  }
  return BATCH - left;
}
