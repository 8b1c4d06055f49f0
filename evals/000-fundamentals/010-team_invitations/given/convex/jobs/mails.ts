// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { BATCH } from "./limits";

const KEPT = 30 * 24 * 60 * 60 * 1000;

/** Delete mails after 30 days. */
export const forget = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("mails")
      .withIndex("by_creation_time", (q) => q.lt("_creationTime", Date.now() - KEPT))
      .take(BATCH);
    for (const mail of old) {
      await ctx.db.delete("mails", mail._id);
    }
    if (old.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.mails.forget, {});
    }
  },
});
