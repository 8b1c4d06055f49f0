// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { BATCH } from "./limits";

/** Delete receipts of events that cannot come again. */
export const forget = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("paywellReceipts")
      .withIndex("by_until", (q) => q.lt("until", Date.now()))
      .take(BATCH);
    for (const receipt of old) {
      await ctx.db.delete("paywellReceipts", receipt._id);
    }
    if (old.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.receipts.forget, {});
    }
  },
});
