// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { BATCH } from "./limits";

/** Enter the smaller plans that hold by now. */
export const enter = internalMutation({
  args: {},
  handler: async (ctx) => {
    const accounts = await ctx.db
      .query("accounts")
      .withIndex("by_next", (q) => q.gt("next.from", undefined).lte("next.from", Date.now()))
      .take(BATCH);
    for (const { _id, next } of accounts) {
      if (next !== undefined) {
        await ctx.db.patch("accounts", _id, { plan: next.plan, next: undefined });
      }
    }
    if (accounts.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.plans.enter, {});
    }
  },
});
