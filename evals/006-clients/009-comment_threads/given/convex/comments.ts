// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internalMutation, mutation, query } from "./_generated/server";
import { ownComment, refuse, writableThread } from "./lib/rules";
import { addComment, takeComment } from "./lib/threads";

/** The comments of a thread, oldest first. */
export const list = query({
  args: { thread: v.id("threads") },
  handler: async (ctx, { thread }) => {
    if ((await ctx.db.get("threads", thread)) === null) return refuse("gone");
    return await ctx.db
      .query("comments")
      .withIndex("by_thread", (q) => q.eq("thread", thread))
      .take(1000);
  },
});

export const store = internalMutation({
  args: { thread: v.id("threads"), author: v.string(), text: v.string() },
  returns: v.id("comments"),
  handler: async (ctx, { thread, author, text }) => {
    return await addComment(ctx, await writableThread(ctx, thread), { author, text });
  },
});

export const edit = mutation({
  args: { comment: v.id("comments"), me: v.string(), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { comment, me, text }) => {
    await ownComment(ctx, comment, me);
    await ctx.db.patch("comments", comment, { text, isEdited: true });
    return null;
  },
});

export const remove = mutation({
  args: { comment: v.id("comments"), me: v.string() },
  returns: v.null(),
  handler: async (ctx, { comment: id, me }) => {
    const { comment, thread } = await ownComment(ctx, id, me);
    await takeComment(ctx, thread, comment._id);
    return null;
  },
});
