// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { mutation, query } from "./_generated/server";
import { refuse, writableThread } from "./lib/rules";
import { addComment } from "./lib/threads";

/** The threads of a document. The one with the latest comment comes first. */
export const list = query({
  args: { document: v.id("documents") },
  handler: async (ctx, { document }) => {
    return await ctx.db
      .query("threads")
      .withIndex("by_document", (q) => q.eq("document", document))
      .order("desc")
      .take(200);
  },
});

export const start = mutation({
  args: { document: v.id("documents"), quote: v.string(), author: v.string(), text: v.string() },
  returns: v.id("threads"),
  handler: async (ctx, { document, quote, author, text }) => {
    const id = await ctx.db.insert("threads", {
      document,
      quote,
      author,
      isResolved: false,
      size: 0,
      lastAt: Date.now(),
    });
    await addComment(ctx, await writableThread(ctx, id), { author, text });
    return id;
  },
});

/** Anybody resolves a thread, and opens it again. */
export const resolve = mutation({
  args: { thread: v.id("threads"), isResolved: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { thread, isResolved }) => {
    await writableThread(ctx, thread);
    await ctx.db.patch("threads", thread, { isResolved });
    return null;
  },
});

/** Deletes a thread with all of its comments. Only who began it may do so. */
export const remove = mutation({
  args: { thread: v.id("threads"), me: v.string() },
  returns: v.null(),
  handler: async (ctx, { thread: id, me }) => {
    const thread = await writableThread(ctx, id);
    if (thread.author !== me) return refuse("not_yours");
    const comments = await ctx.db
      .query("comments")
      .withIndex("by_thread", (q) => q.eq("thread", id))
      .take(1000);
    for (const comment of comments) await ctx.db.delete("comments", comment._id);
    await ctx.db.delete("threads", id);
    return null;
  },
});
