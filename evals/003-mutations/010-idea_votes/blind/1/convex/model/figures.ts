// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { SHARDS } from "../lib/rules";

/*
 * Votes are counted in `tallies`: each idea has up to SHARDS documents, and a vote changes one of them.
 * What was counted before there were tallies is still in the `votes` of ideas, boards and the site and in
 * the `karma` of people. So each figure is the old number and the tallies that belong to it.
 */

const sum = (tallies: Doc<"tallies">[]): number =>
  tallies.reduce((total, { votes }) => total + votes, 0);

export async function siteFigures(ctx: QueryCtx): Promise<Pick<Doc<"site">, "ideas" | "votes">> {
  const site = await ctx.db.query("site").first();
  const tallies = await ctx.db.query("tallies").collect();
  return { ideas: site?.ideas ?? 0, votes: (site?.votes ?? 0) + sum(tallies) };
}

export async function votesOfIdea(ctx: QueryCtx, idea: Doc<"ideas">): Promise<number> {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", idea._id))
    .collect();
  return idea.votes + sum(tallies);
}

async function talliesOfBoard(ctx: QueryCtx, board: Id<"boards">): Promise<Doc<"tallies">[]> {
  return await ctx.db
    .query("tallies")
    .withIndex("by_board", (q) => q.eq("board", board))
    .collect();
}

export async function votesOfBoard(ctx: QueryCtx, board: Doc<"boards">): Promise<number> {
  return board.votes + sum(await talliesOfBoard(ctx, board._id));
}

export async function karmaOf(ctx: QueryCtx, person: Doc<"people">): Promise<number> {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_author", (q) => q.eq("author", person._id))
    .collect();
  return person.karma + sum(tallies);
}

/** The ideas of a board that count, with their present votes, in no special order. */
export async function ideasOfBoard(ctx: QueryCtx, board: Id<"boards">): Promise<Doc<"ideas">[]> {
  const ideas: Doc<"ideas">[] = [];
  for (const state of ["open", "done"] as const) {
    const some = await ctx.db
      .query("ideas")
      .withIndex("by_board_and_state", (q) => q.eq("board", board).eq("state", state))
      .collect();
    ideas.push(...some);
  }
  const votes = new Map<Id<"ideas">, number>();
  for (const tally of await talliesOfBoard(ctx, board)) {
    votes.set(tally.idea, (votes.get(tally.idea) ?? 0) + tally.votes);
  }
  return ideas.map((idea) => ({ ...idea, votes: idea.votes + (votes.get(idea._id) ?? 0) }));
}

export async function addToSite(
  ctx: MutationCtx,
  change: { ideas?: number; votes?: number },
): Promise<void> {
  const site = await ctx.db.query("site").first();
  const ideas = (site?.ideas ?? 0) + (change.ideas ?? 0);
  const votes = (site?.votes ?? 0) + (change.votes ?? 0);
  if (site === null) await ctx.db.insert("site", { ideas, votes });
  else await ctx.db.patch("site", site._id, { ideas, votes });
}

/**
 * Adds to the votes of an idea, and so of all that they count for. Reads and writes nothing but one of
 * the idea's tallies, any of them: one may well become negative.
 */
export async function addVotes(
  ctx: MutationCtx,
  { _id: idea, board, author }: Doc<"ideas">,
  votes: number,
): Promise<void> {
  const shard = Math.floor(Math.random() * SHARDS);
  const tally = await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", idea).eq("shard", shard))
    .unique();
  if (tally === null) await ctx.db.insert("tallies", { idea, shard, board, author, votes });
  else await ctx.db.patch("tallies", tally._id, { votes: tally.votes + votes });
}

/** Takes all votes from an idea, and from all that they counted for. */
export async function clearVotes(ctx: MutationCtx, id: Id<"ideas">): Promise<void> {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", id))
    .collect();
  for (const { _id } of tallies) await ctx.db.delete("tallies", _id);
  const idea = await ctx.db.get("ideas", id);
  if (idea === null || idea.votes === 0) return;
  const { votes } = idea;
  await ctx.db.patch("ideas", id, { votes: 0 });
  const board = await ctx.db.get("boards", idea.board);
  if (board !== null) await ctx.db.patch("boards", board._id, { votes: board.votes - votes });
  const author = await ctx.db.get("people", idea.author);
  if (author !== null) await ctx.db.patch("people", author._id, { karma: author.karma - votes });
  await addToSite(ctx, { votes: -votes });
}
