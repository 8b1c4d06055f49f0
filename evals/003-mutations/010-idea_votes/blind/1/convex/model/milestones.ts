// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { MILESTONES } from "../lib/rules";
import { votesOfIdea } from "./figures";

const LAST = Math.max(...MILESTONES);

/**
 * Keeps that votes were added or taken back, and has looked at soon what the idea has reached. A vote
 * that was taken back by then has still reached what it had reached.
 */
export async function noteChange(
  ctx: MutationCtx,
  idea: Id<"ideas">,
  votes: number,
): Promise<void> {
  const last = await ctx.db
    .query("mails")
    .withIndex("by_idea", (q) => q.eq("idea", idea).eq("milestone", LAST))
    .first();
  if (last !== null) return;
  await ctx.db.insert("changes", { idea, votes });
  await ctx.scheduler.runAfter(0, internal.milestones.tell, { idea });
}

/**
 * Tells the author what the idea has reached by the changes that were kept. To be called before votes
 * are changed without `noteChange`.
 */
export async function tellReached(ctx: MutationCtx, id: Id<"ideas">): Promise<void> {
  const changes = await ctx.db
    .query("changes")
    .withIndex("by_idea", (q) => q.eq("idea", id))
    .collect();
  if (changes.length === 0) return;
  const idea = await ctx.db.get("ideas", id);
  let votes = idea === null ? 0 : await votesOfIdea(ctx, idea);
  for (const change of changes) votes -= change.votes;
  let most = 0;
  for (const change of changes) {
    votes += change.votes;
    if (change.votes > 0) most = Math.max(most, votes);
    await ctx.db.delete("changes", change._id);
  }
  await tellMilestones(ctx, id, most);
}

/** Tells the author of the milestones that an idea has reached, if it was not done before. */
export async function tellMilestones(
  ctx: MutationCtx,
  id: Id<"ideas">,
  votes: number,
): Promise<void> {
  const idea = await ctx.db.get("ideas", id);
  if (idea === null || idea.state === "removed") return;
  for (const milestone of MILESTONES) {
    if (votes < milestone) return;
    const mail = await ctx.db
      .query("mails")
      .withIndex("by_idea", (q) => q.eq("idea", id).eq("milestone", milestone))
      .first();
    if (mail === null) await ctx.db.insert("mails", { person: idea.author, idea: id, milestone });
  }
}
