// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { Writer } from "../audit/log";
import { BATCH, DAY } from "./limits";

/** Each ticket has two writes: itself, and the log. */
const MOST = BATCH / 2;

/** Delete tickets that have been closed for 60 days. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    const log = new Writer(ctx, "job:forget");
    const old = await ctx.db
      .query("tickets")
      .withIndex("by_state_and_movedAt", (q) =>
        q.eq("state", "closed").lt("movedAt", Date.now() - 60 * DAY),
      )
      .take(MOST);
    for (const ticket of old) {
      await log.delete("tickets", ticket._id);
    }
    if (old.length === MOST) {
      await ctx.scheduler.runAfter(0, internal.jobs.forget.run, {});
    }
  },
});
