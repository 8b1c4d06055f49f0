// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internalMutation, internalQuery, mutation, query } from "./_generated/server";
import { ownComment, refuse, writableThread } from "./lib/rules";
import { addComment, findPosted, takeComment } from "./lib/threads";

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

/** Whether an author posted a comment with a key, also if it is deleted by now. */
export const isPosted = query({
  args: { author: v.string(), key: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { author, key }) => (await findPosted(ctx, author, key)) !== null,
});

export const posted = internalQuery({
  args: { author: v.string(), key: v.string() },
  returns: v.union(v.id("comments"), v.null()),
  handler: async (ctx, { author, key }) => await findPosted(ctx, author, key),
});

/** Stores a comment, unless its author posted one with the same key before. */
export const store = internalMutation({
  args: {
    thread: v.id("threads"),
    author: v.string(),
    text: v.string(),
    key: v.optional(v.string()),
  },
  returns: v.object({ comment: v.id("comments"), isNew: v.boolean() }),
  handler: async (ctx, { thread, author, text, key }) => {
    if (key === undefined) {
      const comment = await addComment(ctx, await writableThread(ctx, thread), { author, text });
      return { comment, isNew: true };
    }
    const before = await findPosted(ctx, author, key);
    if (before !== null) return { comment: before, isNew: false };
    const found = await writableThread(ctx, thread);
    const comment = await addComment(ctx, found, { author, text, key });
    await ctx.db.insert("posts", { author, key, comment });
    return { comment, isNew: true };
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
