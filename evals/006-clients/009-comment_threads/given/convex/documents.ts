// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { mutation, query } from "./_generated/server";

/** What stands above a document: its title, and how many threads are open and resolved. */
export const summary = query({
  args: { document: v.id("documents") },
  handler: async (ctx, { document: id }) => {
    const document = await ctx.db.get("documents", id);
    if (document === null) return null;
    const threads = await ctx.db
      .query("threads")
      .withIndex("by_document", (q) => q.eq("document", id))
      .take(200);
    const resolved = threads.filter((thread) => thread.isResolved).length;
    return { title: document.title, open: threads.length - resolved, resolved };
  },
});

export const add = mutation({
  args: { title: v.string() },
  returns: v.id("documents"),
  handler: async (ctx, { title }) => {
    return await ctx.db.insert("documents", { title, isLocked: false });
  },
});

export const lock = mutation({
  args: { document: v.id("documents"), isLocked: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { document, isLocked }) => {
    await ctx.db.patch("documents", document, { isLocked });
    return null;
  },
});
