// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { BATCH } from "./limits";

/** Delete invitations whose time is over. */
export const forget = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("invitations")
      .withIndex("by_expiresAt", (q) => q.lte("expiresAt", Date.now()))
      .take(BATCH);
    for (const invitation of old) {
      await ctx.db.delete("invitations", invitation._id);
    }
    if (old.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.invitations.forget, {});
    }
  },
});
