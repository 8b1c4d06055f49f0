// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { KEPT } from "../images/requests";
import { BATCH } from "./limits";

/** Delete what is kept of requests that are too old to get their first reply again. */
export const forget = internalMutation({
  args: {},
  handler: async (ctx) => {
    const requests = await ctx.db
      .query("requests")
      .withIndex("by_takenAt", (q) => q.lt("takenAt", Date.now() - KEPT))
      .take(BATCH);
    for (const { _id } of requests) {
      await ctx.db.delete("requests", _id);
    }
    if (requests.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.requests.forget, {});
    }
  },
});
