// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Doc, Id } from "./_generated/dataModel";
import { internalMutation, query, type QueryCtx } from "./_generated/server";
import { BATCH, SHOWN_ACTIVITY } from "./lib/rules";
import { trim } from "./model/activity";
import { addVotes } from "./model/figures";
import { absorbVotes, openVotesOfBoard } from "./model/tallies";

/** The ideas of a board that count. */
async function ideasOf(ctx: QueryCtx, board: Id<"boards">): Promise<Doc<"ideas">[]> {
  const ideas: Doc<"ideas">[] = [];
  for (const state of ["open", "done"] as const) {
    const found = await ctx.db
      .query("ideas")
      .withIndex("by_board_and_state", (q) => q.eq("board", board).eq("state", state))
      .collect();
    ideas.push(...found);
  }
  return ideas;
}

export const create = internalMutation({
  args: { name: v.string(), budget: v.number() },
  returns: v.id("boards"),
  handler: async (ctx, args) => await ctx.db.insert("boards", { ...args, round: 1, votes: 0 }),
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
    let votes = board.votes;
    for (const open of (await openVotesOfBoard(ctx, board._id)).values()) votes += open;
    return { name, budget, round, votes };
  },
});

/** The ideas with the most votes; of those with equally many the newer come first. */
export const top = query({
  args: { board: v.id("boards"), count: v.number() },
  returns: v.array(v.object({ _id: v.id("ideas"), title: v.string(), votes: v.number() })),
  handler: async (ctx, { board, count }) => {
    const open = await openVotesOfBoard(ctx, board);
    const ideas = (await ideasOf(ctx, board)).map(({ _id, _creationTime, title, votes }) => ({
      _id,
      title,
      votes: votes + (open.get(_id) ?? 0),
      at: _creationTime,
    }));
    ideas.sort((a, b) => b.votes - a.votes || b.at - a.at);
    const shown: { _id: Id<"ideas">; title: string; votes: number }[] = [];
    for (const { _id, title, votes } of ideas) {
      if (shown.length >= count) break;
      shown.push({ _id, title, votes });
    }
    return shown;
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

/** Deletes activity that is not shown any more. */
export const trimActivity = internalMutation({
  args: { board: v.id("boards") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const isMore = await trim(ctx, args.board);
    if (isMore) await ctx.scheduler.runAfter(0, internal.boards.trimActivity, args);
    return null;
  },
});

/** Begins a new round: no idea has a vote, and everybody has all of theirs again, at once. */
export const reset = internalMutation({
  args: { board: v.id("boards") },
  returns: v.null(),
  handler: async (ctx, args) => {
    if ((await ctx.db.get("boards", args.board)) === null) throw new ConvexError("no_board");
    for (const { _id } of await ideasOf(ctx, args.board)) {
      const idea = await absorbVotes(ctx, _id);
      if (idea !== null && idea.votes !== 0) await addVotes(ctx, _id, -idea.votes);
    }
    const board = await ctx.db.get("boards", args.board);
    if (board === null) throw new ConvexError("no_board");
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
