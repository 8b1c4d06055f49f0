// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { openVotesOfSite } from "./tallies";

export async function siteFigures(ctx: QueryCtx): Promise<Pick<Doc<"site">, "ideas" | "votes">> {
  const site = await ctx.db.query("site").first();
  return { ideas: site?.ideas ?? 0, votes: (site?.votes ?? 0) + (await openVotesOfSite(ctx)) };
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

export async function addToKarma(
  ctx: MutationCtx,
  id: Id<"people">,
  votes: number,
): Promise<void> {
  const person = await ctx.db.get("people", id);
  if (person !== null) await ctx.db.patch("people", id, { karma: person.karma + votes });
}

/**
 * Adds to the votes in the documents of an idea and of all that they count for; not for what many do at
 * the same time. Returns the votes in the idea's document.
 */
export async function addVotes(
  ctx: MutationCtx,
  id: Id<"ideas">,
  votes: number,
): Promise<number> {
  const idea = await ctx.db.get("ideas", id);
  const board = idea && (await ctx.db.get("boards", idea.board));
  if (idea === null || board === null) return 0;
  await ctx.db.patch("ideas", id, { votes: idea.votes + votes });
  await ctx.db.patch("boards", board._id, { votes: board.votes + votes });
  await addToKarma(ctx, idea.author, votes);
  await addToSite(ctx, { votes });
  return idea.votes + votes;
}
