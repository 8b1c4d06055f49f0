// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/** How many documents an idea's votes are spread over. */
const PARTS = 16;

/** The states of ideas that count. */
const COUNTING = ["open", "done"] as const;

export async function countVotes(ctx: QueryCtx, idea: Doc<"ideas">): Promise<number> {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", idea._id))
    .collect();
  return tallies.reduce((count, { votes }) => count + votes, idea.votes);
}

async function sumVotes(ctx: QueryCtx, ideas: Doc<"ideas">[]): Promise<number> {
  const counts = await Promise.all(ideas.map((idea) => countVotes(ctx, idea)));
  return counts.reduce((sum, count) => sum + count, 0);
}

export async function ideasOfBoard(ctx: QueryCtx, board: Id<"boards">): Promise<Doc<"ideas">[]> {
  const lists = COUNTING.map((state) =>
    ctx.db
      .query("ideas")
      .withIndex("by_board_and_state", (q) => q.eq("board", board).eq("state", state))
      .collect(),
  );
  return (await Promise.all(lists)).flat();
}

export async function votesOfBoard(ctx: QueryCtx, board: Id<"boards">): Promise<number> {
  return await sumVotes(ctx, await ideasOfBoard(ctx, board));
}

/** The votes for a person's ideas. */
export async function karmaOf(ctx: QueryCtx, author: Id<"people">): Promise<number> {
  const lists = COUNTING.map((state) =>
    ctx.db
      .query("ideas")
      .withIndex("by_author_and_state", (q) => q.eq("author", author).eq("state", state))
      .collect(),
  );
  return await sumVotes(ctx, (await Promise.all(lists)).flat());
}

export async function siteFigures(ctx: QueryCtx): Promise<{ ideas: number; votes: number }> {
  const site = await ctx.db.query("site").first();
  const lists = COUNTING.map((state) =>
    ctx.db
      .query("ideas")
      .withIndex("by_state", (q) => q.eq("state", state))
      .collect(),
  );
  return {
    ideas: site?.ideas ?? 0,
    votes: await sumVotes(ctx, (await Promise.all(lists)).flat()),
  };
}

export async function addIdeas(ctx: MutationCtx, ideas: number): Promise<void> {
  const site = await ctx.db.query("site").first();
  if (site === null) await ctx.db.insert("site", { ideas });
  else await ctx.db.patch("site", site._id, { ideas: site.ideas + ideas });
}

/** Adds to the votes of an idea. */
export async function addVotes(ctx: MutationCtx, idea: Id<"ideas">, votes: number): Promise<void> {
  const part = Math.floor(Math.random() * PARTS);
  const tally = await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", idea).eq("part", part))
    .unique();
  if (tally === null) await ctx.db.insert("tallies", { idea, part, votes });
  else await ctx.db.patch("tallies", tally._id, { votes: tally.votes + votes });
}

/** Takes all votes from an idea. */
export async function clearVotes(ctx: MutationCtx, idea: Id<"ideas">): Promise<void> {
  await ctx.db.patch("ideas", idea, { votes: 0 });
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", idea))
    .collect();
  for (const { _id } of tallies) await ctx.db.delete("tallies", _id);
}
