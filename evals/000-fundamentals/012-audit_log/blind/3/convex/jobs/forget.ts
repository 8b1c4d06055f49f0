// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { record } from "../lib/audit";
import { AUDITED_BATCH, DAY } from "./limits";

/** Delete tickets that have been closed for 60 days. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    const old = await ctx.db
      .query("tickets")
      .withIndex("by_state_and_movedAt", (q) =>
        q.eq("state", "closed").lt("movedAt", Date.now() - 60 * DAY),
      )
      .take(AUDITED_BATCH);
    for (const ticket of old) {
      await ctx.db.delete("tickets", ticket._id);
      await record(ctx, "job:forget", "tickets", ticket, null);
    }
    if (old.length === AUDITED_BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.forget.run, {});
    }
  },
});
