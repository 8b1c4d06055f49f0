// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { BATCH, SHOWN_ACTIVITY } from "./lib/rules";

/** Begins to delete what is no longer shown, of every board. */
export const trimAll = internalMutation({
  args: { after: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { after }): Promise<null> => {
    const boards = await ctx.db
      .query("boards")
      .withIndex("by_creation_time", (q) => q.gt("_creationTime", after ?? 0))
      .take(BATCH);
    for (const { _id } of boards) {
      await ctx.scheduler.runAfter(0, internal.activity.trim, { board: _id });
    }
    const last = boards.at(-1);
    if (last !== undefined && boards.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.activity.trimAll, { after: last._creationTime });
    }
    return null;
  },
});

/** Finds what of a board is no longer shown. */
export const trim = internalMutation({
  args: { board: v.id("boards") },
  returns: v.null(),
  handler: async (ctx, { board }): Promise<null> => {
    const shown = await ctx.db
      .query("activity")
      .withIndex("by_board", (q) => q.eq("board", board))
      .order("desc")
      .take(SHOWN_ACTIVITY);
    const oldest = shown.at(-1);
    if (oldest !== undefined && shown.length === SHOWN_ACTIVITY) {
      const before = oldest._creationTime;
      await ctx.scheduler.runAfter(0, internal.activity.drop, { board, before });
    }
    return null;
  },
});

/** Deletes what is older than a moment: nobody adds to that any more. */
export const drop = internalMutation({
  args: { board: v.id("boards"), before: v.number() },
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const old = await ctx.db
      .query("activity")
      .withIndex("by_board", (q) => q.eq("board", args.board).lt("_creationTime", args.before))
      .take(BATCH);
    for (const { _id } of old) await ctx.db.delete("activity", _id);
    if (old.length === BATCH) await ctx.scheduler.runAfter(0, internal.activity.drop, args);
    return null;
  },
});
