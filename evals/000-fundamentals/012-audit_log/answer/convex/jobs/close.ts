// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { Writer } from "../audit/log";
import { BATCH, DAY } from "./limits";

/** Each ticket has two writes: itself, and the log. */
const MOST = BATCH / 2;

/** Close open tickets in which nothing has moved for two weeks. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    const log = new Writer(ctx, "job:close");
    const idle = await ctx.db
      .query("tickets")
      .withIndex("by_state_and_movedAt", (q) =>
        q.eq("state", "open").lt("movedAt", Date.now() - 14 * DAY),
      )
      .take(MOST);
    for (const ticket of idle) {
      await log.patch("tickets", ticket._id, { state: "closed", movedAt: Date.now() });
    }
    if (idle.length === MOST) {
      await ctx.scheduler.runAfter(0, internal.jobs.close.run, {});
    }
  },
});
