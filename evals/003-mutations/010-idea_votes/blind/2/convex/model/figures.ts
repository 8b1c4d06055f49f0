// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { sum } from "../lib/lists";
import { BATCH, FOLD_MS, SETTLED_MS } from "../lib/rules";
import { tellMilestones } from "./milestones";

/*
 * The votes of an idea are `votes` of its document (what was counted before there were ballots), `votes`
 * of its tally, and its ballots. Casting a vote only inserts a ballot: so no call waits for another one.
 * A little later ballots are folded into the tally. All other figures are sums of ideas' votes. Removed
 * ideas have neither votes nor a tally nor ballots.
 */

export async function getTally(
  ctx: QueryCtx,
  idea: Id<"ideas">,
): Promise<Doc<"tallies"> | null> {
  return await ctx.db
    .query("tallies")
    .withIndex("by_idea", (q) => q.eq("idea", idea))
    .unique();
}

export async function votesForIdea(ctx: QueryCtx, idea: Doc<"ideas">): Promise<number> {
  const tally = await getTally(ctx, idea._id);
  const ballots = await ctx.db
    .query("ballots")
    .withIndex("by_idea", (q) => q.eq("idea", idea._id))
    .collect();
  return idea.votes + (tally?.votes ?? 0) + sum(ballots);
}

/** The ideas of a board that count, with their votes. */
export async function countedIdeas(
  ctx: QueryCtx,
  board: Id<"boards">,
): Promise<{ idea: Doc<"ideas">; votes: number }[]> {
  const ideas = await ideasOf(ctx, board);
  const votes = new Map<Id<"ideas">, number>(ideas.map((idea) => [idea._id, idea.votes]));
  const tallies = await ctx.db
    .query("tallies")
    .withIndex("by_board", (q) => q.eq("board", board))
    .collect();
  const ballots = await ctx.db
    .query("ballots")
    .withIndex("by_board", (q) => q.eq("board", board))
    .collect();
  for (const part of [...tallies, ...ballots]) {
    votes.set(part.idea, (votes.get(part.idea) ?? 0) + part.votes);
  }
  return ideas.map((idea) => ({ idea, votes: votes.get(idea._id) ?? 0 }));
}

/** The ideas of a board that count: at most 100. */
export async function ideasOf(ctx: QueryCtx, board: Id<"boards">): Promise<Doc<"ideas">[]> {
  const ideas: Doc<"ideas">[] = [];
  for (const state of ["open", "done"] as const) {
    ideas.push(
      ...(await ctx.db
        .query("ideas")
        .withIndex("by_board_and_state", (q) => q.eq("board", board).eq("state", state))
        .collect()),
    );
  }
  return ideas;
}

export async function karmaOf(ctx: QueryCtx, person: Id<"people">): Promise<number> {
  const ideas = await ctx.db
    .query("ideas")
    .withIndex("by_author", (q) => q.eq("author", person))
    .collect();
  let karma = 0;
  for (const idea of ideas) {
    if (idea.state !== "removed") karma += await votesForIdea(ctx, idea);
  }
  return karma;
}

export async function siteFigures(ctx: QueryCtx): Promise<{ ideas: number; votes: number }> {
  const site = await ctx.db.query("site").first();
  let votes = sum(await ctx.db.query("tallies").collect());
  votes += sum(await ctx.db.query("ballots").collect());
  for (const state of ["open", "done"] as const) {
    votes += sum(
      await ctx.db
        .query("ideas")
        .withIndex("by_state", (q) => q.eq("state", state))
        .collect(),
    );
  }
  return { ideas: site?.ideas ?? 0, votes };
}

/** Adds to the number of ideas that count. */
export async function addToSite(ctx: MutationCtx, change: number): Promise<void> {
  const site = await ctx.db.query("site").first();
  if (site === null) await ctx.db.insert("site", { ideas: change });
  else await ctx.db.patch("site", site._id, { ideas: site.ideas + change });
}

/** Adds to the votes of an idea, and of all that they count for. Reads nothing that changes with it. */
export async function addVotes(
  ctx: MutationCtx,
  idea: Doc<"ideas">,
  votes: number,
): Promise<void> {
  if (votes === 0) return;
  await ctx.db.insert("ballots", { idea: idea._id, board: idea.board, votes });
  await ctx.scheduler.runAfter(FOLD_MS, internal.ballots.fold, { idea: idea._id });
}

/**
 * Folds ballots of an idea into its tally, and tells of the milestones that it has reached, if only for
 * a while. Leaves alone what is still coming in, or folds all at once. Returns whether more may be left.
 */
export async function foldBallots(
  ctx: MutationCtx,
  idea: Doc<"ideas">,
  which: "settled" | "all",
): Promise<boolean> {
  const ballots =
    which === "all"
      ? await ctx.db
          .query("ballots")
          .withIndex("by_idea", (q) => q.eq("idea", idea._id))
          .collect()
      : await ctx.db
          .query("ballots")
          .withIndex("by_idea", (q) =>
            q.eq("idea", idea._id).lt("_creationTime", Date.now() - SETTLED_MS),
          )
          .take(BATCH);
  if (ballots.length === 0) return false;
  const tally = await getTally(ctx, idea._id);
  let votes = tally?.votes ?? 0;
  let most = 0;
  for (const ballot of ballots) {
    votes += ballot.votes;
    if (ballot.votes > 0) most = Math.max(most, idea.votes + votes);
    await ctx.db.delete("ballots", ballot._id);
  }
  if (tally !== null) await ctx.db.patch("tallies", tally._id, { votes });
  else await ctx.db.insert("tallies", { idea: idea._id, board: idea.board, votes });
  await tellMilestones(ctx, idea._id, most);
  return which === "settled" && ballots.length === BATCH;
}

/** Takes all votes from an idea. */
export async function clearVotes(ctx: MutationCtx, idea: Doc<"ideas">): Promise<void> {
  await foldBallots(ctx, idea, "all");
  const tally = await getTally(ctx, idea._id);
  if (tally !== null) await ctx.db.delete("tallies", tally._id);
  if (idea.votes !== 0) await ctx.db.patch("ideas", idea._id, { votes: 0 });
}
