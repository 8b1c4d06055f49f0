// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, query } from "./_generated/server";
import { sum } from "./lib/lists";
import { BATCH, SHOWN_ACTIVITY } from "./lib/rules";
import { clearVotes, countedIdeas, ideasOf } from "./model/figures";

export const create = internalMutation({
  args: { name: v.string(), budget: v.number() },
  returns: v.id("boards"),
  handler: async (ctx, args) => await ctx.db.insert("boards", { ...args, round: 1 }),
});

export const get = query({
  args: { board: v.id("boards") },
  returns: v.union(
    v.null(),
    v.object({ name: v.string(), budget: v.number(), round: v.number(), votes: v.number() }),
  ),
  handler: async (ctx, args) => {
    const board = await ctx.db.get("boards", args.board);
    if (board === null) return null;
    const { name, budget, round } = board;
    return { name, budget, round, votes: sum(await countedIdeas(ctx, board._id)) };
  },
});

/** The ideas with the most votes; of those with equally many the newer come first. */
export const top = query({
  args: { board: v.id("boards"), count: v.number() },
  returns: v.array(v.object({ _id: v.id("ideas"), title: v.string(), votes: v.number() })),
  handler: async (ctx, { board, count }) => {
    const counted = await countedIdeas(ctx, board);
    return counted
      .sort((a, b) => b.votes - a.votes || b.idea._creationTime - a.idea._creationTime)
      .filter((_, place) => !(place >= count))
      .map(({ idea, votes }) => ({ _id: idea._id, title: idea.title, votes }));
  },
});

/** What happened lately, the latest first. */
export const activity = query({
  args: { board: v.id("boards") },
  returns: v.array(v.object({ idea: v.id("ideas"), kind: v.string() })),
  handler: async (ctx, { board }) => {
    const entries = await ctx.db
      .query("activity")
      .withIndex("by_board", (q) => q.eq("board", board))
      .order("desc")
      .take(SHOWN_ACTIVITY);
    return entries.map(({ idea, kind }) => ({ idea, kind }));
  },
});

/** Begins a new round: no idea has a vote, and everybody has all of theirs again, at once. */
export const reset = internalMutation({
  args: { board: v.id("boards") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const board = await ctx.db.get("boards", args.board);
    if (board === null) throw new ConvexError("no_board");
    for (const idea of await ideasOf(ctx, board._id)) await clearVotes(ctx, idea);
    await ctx.db.patch("boards", board._id, { round: board.round + 1 });
    await ctx.scheduler.runAfter(0, internal.boards.sweep, { board: board._id });
    return null;
  },
});

/** Deletes votes of former rounds. */
export const sweep = internalMutation({
  args: { board: v.id("boards") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const board = await ctx.db.get("boards", args.board);
    if (board === null) return null;
    const votes = await ctx.db
      .query("votes")
      .withIndex("by_board", (q) => q.eq("board", board._id).lt("round", board.round))
      .take(BATCH);
    for (const { _id } of votes) await ctx.db.delete("votes", _id);
    if (votes.length === BATCH) await ctx.scheduler.runAfter(0, internal.boards.sweep, args);
    return null;
  },
});
