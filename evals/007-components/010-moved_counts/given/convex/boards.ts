// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireStaff } from "./lib/session";
import { boardKey, votes } from "./model/counts";

export const create = mutation({
  args: { slug: v.string(), name: v.string() },
  returns: v.id("boards"),
  handler: async (ctx, board) => {
    await requireStaff(ctx);
    const existing = await ctx.db
      .query("boards")
      .withIndex("by_slug", (q) => q.eq("slug", board.slug))
      .unique();
    if (existing !== null) refuse("taken");
    return await ctx.db.insert("boards", board);
  },
});

export const show = query({
  args: { slug: v.string() },
  handler: async (ctx, { slug }) => {
    const board = await ctx.db
      .query("boards")
      .withIndex("by_slug", (q) => q.eq("slug", slug))
      .unique();
    if (board === null) return null;
    return { id: board._id, name: board.name, votes: await votes.count(ctx, boardKey(board._id)) };
  },
});
