// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import { internalMutation } from "../_generated/server";
import { patchTicket } from "../tickets/write";
import { AUDITED_BATCH, DAY } from "./limits";

/** Close open tickets in which nothing has moved for two weeks. */
export const run = internalMutation({
  args: {},
  handler: async (ctx) => {
    const idle = await ctx.db
      .query("tickets")
      .withIndex("by_state_and_movedAt", (q) =>
        q.eq("state", "open").lt("movedAt", Date.now() - 14 * DAY),
      )
      .take(AUDITED_BATCH);
    for (const ticket of idle) {
      await patchTicket(ctx, "job:close", ticket._id, { state: "closed", movedAt: Date.now() });
    }
    if (idle.length === AUDITED_BATCH) {
      await ctx.scheduler.runAfter(0, internal.jobs.close.run, {});
    }
  },
});
