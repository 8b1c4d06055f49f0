// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import type { Doc } from "./_generated/dataModel";
import { internalMutation, mutation, query, type QueryCtx } from "./_generated/server";
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

/** The comment that was posted with a key, whether it is still there or not. */
export const posted = query({
  args: { author: v.string(), key: v.string() },
  returns: v.union(v.id("comments"), v.null()),
  handler: async (ctx, { author, key }) => (await useOf(ctx, author, key))?.comment ?? null,
});

/** Stores a comment, unless its key was used. */
export const store = internalMutation({
  args: {
    thread: v.id("threads"),
    author: v.string(),
    text: v.string(),
    key: v.optional(v.string()),
  },
  returns: v.object({ comment: v.id("comments"), isNew: v.boolean() }),
  handler: async (ctx, { thread, author, text, key }) => {
    const use = key === undefined ? null : await useOf(ctx, author, key);
    if (use !== null) return { comment: use.comment, isNew: false };
    const comment = await addComment(ctx, await writableThread(ctx, thread), {
      author,
      text,
      ...(key !== undefined && { key }),
    });
    if (key !== undefined) await ctx.db.insert("keys", { author, key, comment });
    return { comment, isNew: true };
  },
});

async function useOf(ctx: QueryCtx, author: string, key: string): Promise<Doc<"keys"> | null> {
  return await ctx.db
    .query("keys")
    .withIndex("by_author_and_key", (q) => q.eq("author", author).eq("key", key))
    .unique();
}

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
