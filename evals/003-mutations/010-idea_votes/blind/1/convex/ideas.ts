// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { callerOf, findCaller } from "./lib/caller";
import { BATCH } from "./lib/rules";
import { note } from "./model/activity";
import { addToSite, addVotes, clearVotes, votesOfIdea } from "./model/figures";
import { tellMilestones, tellReached } from "./model/milestones";

export const add = mutation({
  args: { board: v.id("boards"), title: v.string() },
  returns: v.id("ideas"),
  handler: async (ctx, { board, title }) => {
    const author = await callerOf(ctx);
    if ((await ctx.db.get("boards", board)) === null) throw new ConvexError("no_board");
    const idea = await ctx.db.insert("ideas", { board, author, title, state: "open", votes: 0 });
    await addToSite(ctx, { ideas: 1 });
    await note(ctx, board, idea, "idea");
    return idea;
  },
});

/** A removed idea is not shown. */
export const get = query({
  args: { idea: v.id("ideas") },
  returns: v.union(
    v.null(),
    v.object({ title: v.string(), state: v.string(), votes: v.number(), author: v.string() }),
  ),
  handler: async (ctx, args) => {
    const idea = await ctx.db.get("ideas", args.idea);
    if (idea === null || idea.state === "removed") return null;
    const author = await ctx.db.get("people", idea.author);
    const { title, state } = idea;
    const votes = await votesOfIdea(ctx, idea);
    return { title, state, votes, author: author?.name ?? "somebody" };
  },
});

/** The author says that it is done. Its votes still count. */
export const finish = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const idea = await ctx.db.get("ideas", args.idea);
    const person = await findCaller(ctx);
    if (idea === null || idea.author !== person?._id) throw new ConvexError("no_idea");
    if (idea.state !== "open") throw new ConvexError("closed");
    await ctx.db.patch("ideas", idea._id, { state: "done" });
    return null;
  },
});

/** The author takes an idea away. From then on its votes count nowhere, and can be given to others. */
export const remove = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const idea = await ctx.db.get("ideas", args.idea);
    const person = await findCaller(ctx);
    if (idea === null || idea.author !== person?._id) throw new ConvexError("no_idea");
    if (idea.state === "removed") return null;
    await tellReached(ctx, idea._id);
    await clearVotes(ctx, idea._id);
    await addToSite(ctx, { ideas: -1 });
    await ctx.db.patch("ideas", idea._id, { state: "removed" });
    await ctx.scheduler.runAfter(0, internal.ideas.sweep, { idea: idea._id });
    return null;
  },
});

/** Deletes the votes of a removed idea. */
export const sweep = internalMutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { idea }) => {
    const votes = await ctx.db
      .query("votes")
      .withIndex("by_idea", (q) => q.eq("idea", idea))
      .take(BATCH);
    for (const { _id } of votes) await ctx.db.delete("votes", _id);
    if (votes.length === BATCH) await ctx.scheduler.runAfter(0, internal.ideas.sweep, { idea });
    return null;
  },
});

/**
 * Two ideas of a board are the same (at most 300 votes): the votes for the first are for the second now,
 * but each person's once. The first is removed. Moderators do this.
 */
export const merge = internalMutation({
  args: { from: v.id("ideas"), into: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const from = await ctx.db.get("ideas", args.from);
    const into = await ctx.db.get("ideas", args.into);
    const board = from && (await ctx.db.get("boards", from.board));
    if (from === null || into === null || board === null) throw new ConvexError("no_idea");
    if (from._id === into._id || from.board !== into.board) throw new ConvexError("not_alike");
    if (from.state === "removed" || into.state === "removed") throw new ConvexError("no_idea");
    const votes = await ctx.db
      .query("votes")
      .withIndex("by_idea", (q) => q.eq("idea", from._id))
      .take(301);
    if (votes.length > 300) throw new ConvexError("too_many_votes");
    await tellReached(ctx, from._id);
    await tellReached(ctx, into._id);
    let moved = 0;
    for (const { _id, person, round } of votes) {
      const own = await ctx.db
        .query("votes")
        .withIndex("by_idea", (q) => q.eq("idea", into._id).eq("person", person))
        .collect();
      const isNew = round === board.round && own.every((vote) => vote.round !== round);
      if (isNew) await ctx.db.patch("votes", _id, { idea: into._id });
      else await ctx.db.delete("votes", _id);
      if (isNew) moved += 1;
    }
    await clearVotes(ctx, from._id);
    await addToSite(ctx, { ideas: -1 });
    await ctx.db.patch("ideas", from._id, { state: "removed" });
    await addVotes(ctx, into, moved);
    await tellMilestones(ctx, into._id, await votesOfIdea(ctx, into));
    return null;
  },
});
