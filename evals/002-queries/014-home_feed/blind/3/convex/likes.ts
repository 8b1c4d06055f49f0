// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, type QueryCtx } from "./_generated/server";
import { addToCounts, removeLike } from "./model/heads";
import { requireVisible } from "./model/posts";
import { requireUser } from "./model/viewer";

function likeOf(ctx: QueryCtx, post: Id<"posts">, user: Id<"users">) {
  return ctx.db
    .query("likes")
    .withIndex("by_post", (q) => q.eq("post", post).eq("user", user))
    .unique();
}

export const like = mutation({
  args: { post: v.id("posts") },
  returns: v.null(),
  handler: async (ctx, { post }) => {
    const viewer = await requireUser(ctx);
    await requireVisible(ctx, viewer, post);
    const user = viewer._id;
    if ((await likeOf(ctx, post, user)) !== null) return null;
    await ctx.db.insert("likes", { post, user });
    await addToCounts(ctx, post, { likes: 1 });
    return null;
  },
});

export const unlike = mutation({
  args: { post: v.id("posts") },
  returns: v.null(),
  handler: async (ctx, { post }) => {
    const viewer = await requireUser(ctx);
    const like = await likeOf(ctx, post, viewer._id);
    if (like !== null) await removeLike(ctx, like);
    return null;
  },
});
