// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { addVotes } from "./figures";
import { tellMilestones } from "./milestones";

/** So long a change lies at least before it is put into a tally: until then others may be entered. */
const SETTLE_MS = 2000;
const FOLD_BATCH = 500;

/** Notes a change of an idea's votes, in a way that collides with nobody. */
export async function noteChange(
  ctx: MutationCtx,
  { _id: idea, board, author }: Doc<"ideas">,
  votes: 1 | -1,
): Promise<void> {
  await ctx.db.insert("changes", { idea, board, author, votes });
  const delay = 5000 + Math.floor(Math.random() * 15000);
  await ctx.scheduler.runAfter(delay, internal.votes.settle, { idea, board });
}

function sum(rows: { votes: number }[]): number {
  return rows.reduce((total, { votes }) => total + votes, 0);
}

/** What is to be added to the votes in an idea's document. */
export async function openVotesOfIdea(ctx: QueryCtx, idea: Id<"ideas">): Promise<number> {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", idea))
    .collect();
  const changes = await ctx.db
    .query("changes")
    .withIndex("by_idea", (q) => q.eq("idea", idea))
    .collect();
  return sum(tallies) + sum(changes);
}

/** The same for a board, idea by idea. */
export async function openVotesOfBoard(
  ctx: QueryCtx,
  board: Id<"boards">,
): Promise<Map<Id<"ideas">, number>> {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_board", (q) => q.eq("board", board))
    .collect();
  const changes = await ctx.db
    .query("changes")
    .withIndex("by_board", (q) => q.eq("board", board))
    .collect();
  const open = new Map<Id<"ideas">, number>();
  for (const { idea, votes } of [...tallies, ...changes]) {
    open.set(idea, (open.get(idea) ?? 0) + votes);
  }
  return open;
}

/** The same for a person's karma. */
export async function openVotesOfAuthor(ctx: QueryCtx, author: Id<"people">): Promise<number> {
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_author", (q) => q.eq("author", author))
    .collect();
  const changes = await ctx.db
    .query("changes")
    .withIndex("by_author", (q) => q.eq("author", author))
    .collect();
  return sum(tallies) + sum(changes);
}

/** The same for the site. */
export async function openVotesOfSite(ctx: QueryCtx): Promise<number> {
  const tallies = await ctx.db.query("tallies").collect();
  const changes = await ctx.db.query("changes").collect();
  return sum(tallies) + sum(changes);
}

async function findTally(ctx: QueryCtx, idea: Id<"ideas">): Promise<Doc<"tallies"> | null> {
  return await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", idea))
    .unique();
}

/** Deletes changes of an idea, tells the milestones that they have reached, and returns their sum. */
async function takeChanges(
  ctx: MutationCtx,
  idea: Id<"ideas">,
  before: number,
  changes: Doc<"changes">[],
): Promise<number> {
  let change = 0;
  let most = 0;
  for (const { _id, votes } of changes) {
    change += votes;
    if (votes > 0) most = Math.max(most, before + change);
    await ctx.db.delete("changes", _id);
  }
  await tellMilestones(ctx, idea, most);
  return change;
}

/** Puts changes into the tally of an idea. Returns whether there were any, and whether there may be more. */
export async function foldChanges(
  ctx: MutationCtx,
  id: Id<"ideas">,
): Promise<{ isAny: boolean; isMore: boolean }> {
  const latest = Date.now() - SETTLE_MS;
  const changes = await ctx.db
    .query("changes")
    .withIndex("by_idea", (q) => q.eq("idea", id).lt("_creationTime", latest))
    .take(FOLD_BATCH);
  const idea = await ctx.db.get("ideas", id);
  if (changes.length === 0 || idea === null) return { isAny: false, isMore: false };
  const tally = await findTally(ctx, id);
  const before = tally?.votes ?? 0;
  const votes = before + (await takeChanges(ctx, id, idea.votes + before, changes));
  if (tally !== null) await ctx.db.patch("tallies", tally._id, { votes });
  else {
    const { board, author } = idea;
    await ctx.db.insert("tallies", { idea: id, board, author, votes });
  }
  return { isAny: true, isMore: changes.length === FOLD_BATCH };
}

/** Puts all votes of an idea into the documents of what they count for. Returns the idea as it is then. */
export async function absorbVotes(ctx: MutationCtx, id: Id<"ideas">): Promise<Doc<"ideas"> | null> {
  const idea = await ctx.db.get("ideas", id);
  if (idea === null) return null;
  const tally = await findTally(ctx, id);
  const before = tally?.votes ?? 0;
  const changes = await ctx.db
    .query("changes")
    .withIndex("by_idea", (q) => q.eq("idea", id))
    .collect();
  if (tally === null && changes.length === 0) return idea;
  const votes = before + (await takeChanges(ctx, id, idea.votes + before, changes));
  if (tally !== null) await ctx.db.delete("tallies", tally._id);
  await addVotes(ctx, id, votes);
  return await ctx.db.get("ideas", id);
}
