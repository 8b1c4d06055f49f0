// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type QueryCtx } from "./_generated/server";
import { callerOf, findCaller } from "./lib/caller";
import { note } from "./model/activity";
import { addVotes } from "./model/figures";
import { noteChange } from "./model/milestones";

/** A person's votes on a board in the present round. */
async function votesOf(
  ctx: QueryCtx,
  board: Doc<"boards">,
  person: Id<"people">,
): Promise<Doc<"votes">[]> {
  return await ctx.db
    .query("votes")
    .withIndex("by_person", (q) =>
      q.eq("person", person).eq("board", board._id).eq("round", board.round),
    )
    .collect();
}

async function ideaAndBoard(
  ctx: QueryCtx,
  id: Id<"ideas">,
): Promise<{ idea: Doc<"ideas">; board: Doc<"boards"> }> {
  const idea = await ctx.db.get("ideas", id);
  const board = idea && (await ctx.db.get("boards", idea.board));
  if (idea === null || board === null || idea.state === "removed") throw new ConvexError("no_idea");
  if (idea.state !== "open") throw new ConvexError("closed");
  return { idea, board };
}

/** Votes for an idea; a second time changes nothing. */
export const cast = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    const { idea, board } = await ideaAndBoard(ctx, args.idea);
    const votes = await votesOf(ctx, board, person);
    if (votes.some((vote) => vote.idea === idea._id)) return null;
    if (votes.length >= board.budget) throw new ConvexError("no_votes_left");
    await ctx.db.insert("votes", { board: board._id, round: board.round, idea: idea._id, person });
    await addVotes(ctx, idea, 1);
    await note(ctx, board._id, idea._id, "vote");
    await noteChange(ctx, idea._id, 1);
    return null;
  },
});

/** Takes a vote back; without one nothing happens. */
export const undo = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const person = await callerOf(ctx);
    const { idea, board } = await ideaAndBoard(ctx, args.idea);
    const votes = await votesOf(ctx, board, person);
    const vote = votes.find((each) => each.idea === idea._id);
    if (vote === undefined) return null;
    await ctx.db.delete("votes", vote._id);
    await addVotes(ctx, idea, -1);
    await noteChange(ctx, idea._id, -1);
    return null;
  },
});

/** What the caller has voted for on a board, and how many votes are left. */
export const mine = query({
  args: { board: v.id("boards") },
  returns: v.object({ ideas: v.array(v.id("ideas")), left: v.number() }),
  handler: async (ctx, args) => {
    const person = await findCaller(ctx);
    const board = await ctx.db.get("boards", args.board);
    if (board === null) throw new ConvexError("no_board");
    const votes = person === null ? [] : await votesOf(ctx, board, person._id);
    return { ideas: votes.map(({ idea }) => idea), left: board.budget - votes.length };
  },
});
