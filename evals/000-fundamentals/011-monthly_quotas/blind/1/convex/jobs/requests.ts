// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { KEPT } from "../requests/replies";
import { BATCH } from "./limits";

/** Delete what is kept of requests that are too old to be answered again. */
export const forget = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("requests")
      .withIndex("by_at", (q) => q.lt("at", Date.now() - KEPT))
      .take(BATCH);
    for (const request of old) {
      await ctx.db.delete("requests", request._id);
    }
    if (old.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.requests.forget, {});
    }
  },
});
