// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireMember } from "./lib/session";
import { boardKey, memberKey, views, votes } from "./model/counts";
import { getIdea } from "./model/ideas";

/** For so long the author of a removed idea can bring it back. */
const KEPT_MS = 10 * 60 * 1000;
const BATCH = 20;

const shownIdea = v.object({ id: v.id("ideas"), title: v.string(), votes: v.number() });

export const add = mutation({
  args: { board: v.id("boards"), title: v.string() },
  returns: v.id("ideas"),
  handler: async (ctx, { board, title }) => {
    const author = await requireMember(ctx);
    if (title.trim() === "") refuse("invalid");
    if ((await ctx.db.get("boards", board)) === null) refuse("not_found");
    return await ctx.db.insert("ideas", { board, title, author: author._id });
  },
});

/** The newest ideas of a board. */
export const list = query({
  args: { board: v.id("boards") },
  returns: v.array(shownIdea),
  handler: async (ctx, { board }) => {
    const newest = await ctx.db
      .query("ideas")
      .withIndex("by_board", (q) => q.eq("board", board))
      .order("desc")
      .take(30);
    const shown = newest.filter(({ removedAt }) => removedAt === undefined);
    return await Promise.all(
      shown.map(async ({ _id, title }) => ({
        id: _id,
        title,
        votes: await votes.count(ctx, _id),
      })),
    );
  },
});

export const remove = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { idea: id }) => {
    const member = await requireMember(ctx);
    const idea = await getIdea(ctx, id);
    if (idea.author !== member._id) refuse("not_found");
    const removedAt = Date.now();
    await ctx.db.patch("ideas", id, { removedAt });
    await votes.subtract(ctx, boardKey(idea.board), await votes.count(ctx, id));
    await ctx.scheduler.runAfter(KEPT_MS, internal.ideas.drop, { idea: id, removedAt });
    return null;
  },
});

/** Brings a removed idea back, with its votes. */
export const restore = mutation({
  args: { idea: v.id("ideas") },
  returns: v.null(),
  handler: async (ctx, { idea: id }) => {
    const member = await requireMember(ctx);
    const idea = await ctx.db.get("ideas", id);
    if (idea?.removedAt === undefined || idea.author !== member._id) refuse("not_found");
    await ctx.db.patch("ideas", id, { removedAt: undefined });
    await votes.add(ctx, boardKey(idea.board), await votes.count(ctx, id));
    return null;
  },
});

/** Deletes an idea that is still removed, after its votes. */
export const drop = internalMutation({
  args: { idea: v.id("ideas"), removedAt: v.number() },
  returns: v.null(),
  handler: async (ctx, { idea: id, removedAt }) => {
    const idea = await ctx.db.get("ideas", id);
    if (idea === null || idea.removedAt !== removedAt) return null;
    const given = await ctx.db
      .query("votes")
      .withIndex("by_idea_and_member", (q) => q.eq("idea", id))
      .take(BATCH);
    for (const { _id, member } of given) {
      await ctx.db.delete("votes", _id);
      await votes.dec(ctx, memberKey(member));
    }
    if (given.length === BATCH) {
      await ctx.scheduler.runAfter(0, internal.ideas.drop, { idea: id, removedAt });
      return null;
    }
    await votes.reset(ctx, id);
    await views.reset(ctx, id);
    await ctx.db.delete("ideas", id);
    return null;
  },
});
