// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { requireMember } from "./lib/session";
import { boardKey, memberKey, votes } from "./model/counts";
import { getIdea, getVote } from "./model/ideas";

/** Votes for an idea. To vote twice does no harm. */
export const give = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { idea: id }) => {
    const member = await requireMember(ctx);
    const idea = await getIdea(ctx, id);
    if ((await getVote(ctx, id, member._id)) !== null) return null;
    await ctx.db.insert("votes", { idea: id, member: member._id });
    await votes.inc(ctx, id);
    await votes.inc(ctx, boardKey(idea.board));
    await votes.inc(ctx, memberKey(member._id));
    return null;
  },
});

/** Takes a vote back. */
export const takeBack = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { idea: id }) => {
    const member = await requireMember(ctx);
    const idea = await getIdea(ctx, id);
    const vote = await getVote(ctx, id, member._id);
    if (vote === null) return null;
    await ctx.db.delete("votes", vote._id);
    await votes.dec(ctx, id);
    await votes.dec(ctx, boardKey(idea.board));
    await votes.dec(ctx, memberKey(member._id));
    return null;
  },
});
