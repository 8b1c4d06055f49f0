// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { addLike, dropLike, likeOf } from "./model/counts";
import { requireVisible } from "./model/posts";
import { requireUser } from "./model/viewer";

export const like = mutation({
  args: { post: v.id("posts") },
  returns: v.null(),
  handler: async (ctx, { post }) => {
    const viewer = await requireUser(ctx);
    await requireVisible(ctx, viewer, post);
    const user = viewer._id;
    if ((await likeOf(ctx, post, user)) === null) await addLike(ctx, post, user);
    return null;
  },
});

export const unlike = mutation({
  args: { post: v.id("posts") },
  returns: v.null(),
  handler: async (ctx, { post }) => {
    const viewer = await requireUser(ctx);
    const like = await likeOf(ctx, post, viewer._id);
    if (like !== null) await dropLike(ctx, like);
    return null;
  },
});
