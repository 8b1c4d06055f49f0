// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { BATCH, SHOWN_ACTIVITY } from "./lib/rules";

/** Has what is no longer shown deleted, one board after the other. */
export const trim = internalMutation({
  args: { after: v.optional(v.id("boards")) },
  returns: v.null(),
  handler: async (ctx, { after }) => {
    const next = await ctx.db
      .query("activity")
      .withIndex("by_board", (q) => (after === undefined ? q : q.gt("board", after)))
      .first();
    if (next === null) return null;
    const { board } = next;
    const shown = await ctx.db
      .query("activity")
      .withIndex("by_board", (q) => q.eq("board", board))
      .order("desc")
      .take(SHOWN_ACTIVITY);
    const last = shown[SHOWN_ACTIVITY - 1];
    if (last !== undefined) {
      await ctx.scheduler.runAfter(0, internal.activity.drop, {
        board,
        before: last._creationTime,
      });
    }
    await ctx.scheduler.runAfter(0, internal.activity.trim, { after: board });
    return null;
  },
});

/** Deletes what is older. It does not read what comes now, so that it is not run again for that. */
export const drop = internalMutation({
  args: { board: v.id("boards"), before: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const entries = await ctx.db
      .query("activity")
      .withIndex("by_board", (q) => q.eq("board", args.board).lt("_creationTime", args.before))
      .take(BATCH);
    for (const { _id } of entries) await ctx.db.delete("activity", _id);
    if (entries.length === BATCH) await ctx.scheduler.runAfter(0, internal.activity.drop, args);
    return null;
  },
});
