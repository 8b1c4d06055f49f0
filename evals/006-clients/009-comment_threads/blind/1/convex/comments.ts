// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internalMutation, internalQuery, mutation, query, type QueryCtx } from "./_generated/server";
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

async function findPosting(ctx: QueryCtx, author: string, key: string) {
  return await ctx.db
    .query("postings")
    .withIndex("by_author_and_key", (q) => q.eq("author", author).eq("key", key))
    .unique();
}

/** Returns the comment that an author posted with a key, though it may be deleted since. */
export const posted = internalQuery({
  args: { author: v.string(), key: v.string() },
  returns: v.nullable(v.id("comments")),
  handler: async (ctx, { author, key }) => (await findPosting(ctx, author, key))?.comment ?? null,
});

/** Stores a comment, unless its author has posted one with this key. */
export const storeOnce = internalMutation({
  args: { thread: v.id("threads"), author: v.string(), text: v.string(), key: v.string() },
  returns: v.object({ comment: v.id("comments"), isNew: v.boolean() }),
  handler: async (ctx, { thread, author, text, key }) => {
    const earlier = await findPosting(ctx, author, key);
    if (earlier !== null) return { comment: earlier.comment, isNew: false };
    const written = await writableThread(ctx, thread);
    const comment = await addComment(ctx, written, { author, text, key });
    await ctx.db.insert("postings", { author, key, comment });
    return { comment, isNew: true };
  },
});

/** Whether a comment has not been deleted. */
export const exists = query({
  args: { comment: v.id("comments") },
  returns: v.boolean(),
  handler: async (ctx, { comment }) => (await ctx.db.get("comments", comment)) !== null,
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
