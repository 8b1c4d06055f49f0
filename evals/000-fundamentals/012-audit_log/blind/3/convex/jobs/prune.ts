// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { BATCH, DAY } from "./limits";

/** Delete entries of the audit log after 90 days. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("audit")
      .withIndex("by_at", (q) => q.lt("at", Date.now() - 90 * DAY))
      .take(BATCH);
    for (const entry of old) {
      await ctx.db.delete("audit", entry._id);
    }
    if (old.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.prune.run, {});
    }
  },
});
