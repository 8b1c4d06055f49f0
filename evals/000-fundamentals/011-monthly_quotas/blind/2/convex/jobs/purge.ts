// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import { internalMutation, type MutationCtx } from "../_generated/server";
import { giveBack } from "../usage/count";
import { BATCH } from "./limits";

/** How many documents change with a batch: itself, and two counts if it was running. */
const PER_BATCH = 3;

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
      await keepName(ctx, project);
      await ctx.db.delete("projects", project._id);
    }
    await ctx.scheduler.runAfter(0, internal.jobs.purge.run, {});
  },
});

/** Keep the name of a project that counted in some month. */
async function keepName(ctx: MutationCtx, { _id, name }: Doc<"projects">): Promise<void> {
  const part = await ctx.db
    .query("projectMonths")
    .withIndex("by_project", (q) => q.eq("project", _id))
    .first();
  if (part !== null) {
    await ctx.db.insert("formerProjects", { project: _id, name });
  }
}

/** Delete up to a batch of a project's documents, and return how many. */
async function deleteSome(ctx: MutationCtx, project: Id<"projects">): Promise<number> {
  const keys = await ctx.db
    .query("keys")
    .withIndex("by_project", (q) => q.eq("project", project))
    .take(BATCH);
  for (const key of keys) {
    await ctx.db.delete("keys", key._id);
  }
  let rest = BATCH - keys.length;
  const images = await ctx.db
    .query("images")
    .withIndex("by_project", (q) => q.eq("project", project))
    .take(rest);
  for (const image of images) {
    await ctx.db.delete("images", image._id);
  }
  rest -= images.length;
  const requests = await ctx.db
    .query("requests")
    .withIndex("by_project_and_request", (q) => q.eq("project", project))
    .take(rest);
  for (const request of requests) {
    await ctx.db.delete("requests", request._id);
  }
  rest -= requests.length;
  const batches = await ctx.db
    .query("batches")
    .withIndex("by_project_and_state", (q) => q.eq("project", project))
    .take(Math.floor(rest / PER_BATCH));
  for (const batch of batches) {
    if (batch.state === "running") {
      await giveBack(ctx, batch, batch.tagged);
    }
    await ctx.db.delete("batches", batch._id);
  }
  return keys.length + images.length + requests.length + batches.length;
}
