// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation, mutation } from "../_generated/server";
import { refuse } from "../lib/errors";
import { requireStaff } from "../lib/session";
import { boardKey, memberKey, views, votes } from "../model/counts";
import { getIdea, getVote } from "../model/ideas";

const BATCH = 20;

/** Merges an idea into another one of any board: votes and views go over, the idea is deleted. */
export const merge = mutation({
  args: { from: v.id("ideas"), into: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { from, into }) => {
    await requireStaff(ctx);
    if (from === into) refuse("invalid");
    const source = await getIdea(ctx, from);
    const target = await getIdea(ctx, into);
    const count = await votes.count(ctx, from);
    await votes.add(ctx, into, count);
    await votes.reset(ctx, from);
    await votes.subtract(ctx, boardKey(source.board), count);
    await votes.add(ctx, boardKey(target.board), count);
    const looks = await views.count(ctx, from);
    await views.add(ctx, into, looks);
    await views.reset(ctx, from);
    await ctx.db.delete("ideas", from);
    await ctx.scheduler.runAfter(0, internal.staff.merge.moveVotes, { from, into });
    return null;
  },
});

/** Moves the votes of a merged idea. Who has voted for both loses one of the two. */
export const moveVotes = internalMutation({
  args: { from: v.id("ideas"), into: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { from, into }) => {
    const given = await ctx.db
      .query("votes")
      .withIndex("by_idea_and_member", (q) => q.eq("idea", from))
      .take(BATCH);
    const target = await ctx.db.get("ideas", into);
    for (const { _id, member } of given) {
      if (target !== null && (await getVote(ctx, into, member)) === null) {
        await ctx.db.patch("votes", _id, { idea: into });
        continue;
      }
      await ctx.db.delete("votes", _id);
      await votes.dec(ctx, memberKey(member));
      if (target !== null) {
        await votes.dec(ctx, into);
        if (target.removedAt === undefined) await votes.dec(ctx, boardKey(target.board));
      }
    }
    if (given.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.staff.merge.moveVotes, { from, into });
    }
    return null;
  },
});
