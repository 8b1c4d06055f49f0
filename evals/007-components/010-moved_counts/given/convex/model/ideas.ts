// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { refuse } from "../lib/errors";

/** Returns an idea that is not removed. */
export async function getIdea(ctx: QueryCtx, id: Id<"ideas">): Promise<Doc<"ideas">> {
  const idea = await ctx.db.get("ideas", id);
  if (idea === null || idea.removedAt !== undefined) refuse("not_found");
  return idea;
}

export async function getVote(ctx: QueryCtx, idea: Id<"ideas">, member: Id<"members">) {
  return await ctx.db
    .query("votes")
    .withIndex("by_idea_and_member", (q) => q.eq("idea", idea).eq("member", member))
    .unique();
}
