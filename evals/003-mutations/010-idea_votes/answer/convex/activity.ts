// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { BATCH, SHOWN_ACTIVITY } from "./lib/rules";

/** Deletes what is no longer shown of the boards made after a time, a batch or a board in each run. */
export const trim = internalMutation({
  args: { after: v.number() },
  returns: v.null(),
  handler: async (ctx, { after }) => {
    const board = await ctx.db
      .query("boards")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", after))
      .first();
    if (board === null) return null;
    const latest = await ctx.db
      .query("activity")
      .withIndex("by_board", (q) => q.eq("board", board._id))
      .order("desc")
      .take(SHOWN_ACTIVITY + BATCH);
    for (const { _id } of latest.slice(SHOWN_ACTIVITY)) await ctx.db.delete("activity", _id);
    const isDone = latest.length < SHOWN_ACTIVITY + BATCH;
    const next = isDone ? board._creationTime : after;
    await ctx.scheduler.runAfter(0, internal.activity.trim, { after: next });
    return null;
  },
});
