// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";

/** Begin everything that is done each night. Jobs have no crons of their own. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    await ctx.scheduler.runAfter(0, internal.jobs.close.run, {});
    await ctx.scheduler.runAfter(0, internal.jobs.forget.run, {});
    await ctx.scheduler.runAfter(0, internal.jobs.check.run, {});
    await ctx.scheduler.runAfter(0, internal.jobs.prune.run, {});
  },
});
