// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { addToCounts, removeComment } from "./model/heads";
import { requireVisible } from "./model/posts";
import { requireUser } from "./model/viewer";

export const add = mutation({
  args: { post: v.id("posts"), text: v.string() },
  returns: v.id("comments"),
  handler: async (ctx, { post, text }) => {
    const viewer = await requireUser(ctx);
    await requireVisible(ctx, viewer, post);
    if (text.trim() === "" || text.length > 1000) throw new ConvexError("bad text");
    const author = viewer._id;
    const comment = await ctx.db.insert("comments", { post, author, text, removed: false });
    await addToCounts(ctx, post, { comments: 1 });
    return comment;
  },
});

/** The author of a comment takes it back, also one that a moderator removed. */
export const remove = mutation({
  args: { comment: v.id("comments") },
  returns: v.null(),
  handler: async (ctx, { comment: id }) => {
    const viewer = await requireUser(ctx);
    const comment = await ctx.db.get("comments", id);
    if (comment?.author !== viewer._id) throw new ConvexError("no such comment");
    await removeComment(ctx, comment);
    return null;
  },
});

export const list = query({
  args: { post: v.id("posts") },
  handler: async (ctx, { post }) => {
    await requireVisible(ctx, await requireUser(ctx), post);
    const comments = await ctx.db
      .query("comments")
      .withIndex("by_post", (q) => q.eq("post", post))
      .take(100);
    return comments.map(({ _id, text, removed }) => ({ _id, text: removed ? null : text }));
  },
});
