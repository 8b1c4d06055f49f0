// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, internalQuery } from "./_generated/server";
import { boardKey, memberKey, views, votes } from "./model/counts";

const BATCH = 10;

/** Begins to move all counts. To begin again does no harm. */
export const start = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    if ((await ctx.db.query("moves").first()) !== null) return null;
    await ctx.db.insert("moves", { isDone: false });
    await ctx.scheduler.runAfter(0, internal.moving.boards, { cursor: null });
    return null;
  },
});

export const isDone = internalQuery({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => (await ctx.db.query("moves").first())?.isDone ?? false,
});

const position = { cursor: v.nullable(v.string()) };

export const boards = internalMutation({
  args: position,
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    const rows = await ctx.db.query("boards").paginate({ cursor, numItems: BATCH });
    for (const { _id } of rows.page) await votes.move(ctx, boardKey(_id));
    const next = rows.isDone ? internal.moving.members : internal.moving.boards;
    const from = rows.isDone ? null : rows.continueCursor;
    await ctx.scheduler.runAfter(0, next, { cursor: from });
    return null;
  },
});

export const members = internalMutation({
  args: position,
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    const rows = await ctx.db.query("members").paginate({ cursor, numItems: BATCH });
    for (const { _id } of rows.page) await votes.move(ctx, memberKey(_id));
    const next = rows.isDone ? internal.moving.ideas : internal.moving.members;
    const from = rows.isDone ? null : rows.continueCursor;
    await ctx.scheduler.runAfter(0, next, { cursor: from });
    return null;
  },
});

export const ideas = internalMutation({
  args: position,
  returns: v.null(),
  handler: async (ctx, { cursor }) => {
    const rows = await ctx.db.query("ideas").paginate({ cursor, numItems: BATCH });
    for (const { _id } of rows.page) {
      await votes.move(ctx, _id);
      await views.move(ctx, _id);
    }
    if (!rows.isDone) {
      await ctx.scheduler.runAfter(0, internal.moving.ideas, { cursor: rows.continueCursor });
      return null;
    }
    const move = await ctx.db.query("moves").first();
    if (move !== null) await ctx.db.patch("moves", move._id, { isDone: true });
    return null;
  },
});
