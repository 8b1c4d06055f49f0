// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, type MutationCtx } from "./_generated/server";
import { endFollow } from "./model/follows";
import { removeComment, removeLike } from "./model/heads";
import { requireUser, userByHandle } from "./model/viewer";

/** Takes back what a user left at the posts of an author. */
async function takeBack(ctx: MutationCtx, user: Id<"users">, author: Id<"users">) {
  const likes = ctx.db.query("likes").withIndex("by_user", (q) => q.eq("user", user));
  for (const like of await likes.collect()) {
    const post = await ctx.db.get("posts", like.post);
    if (post?.author === author) await removeLike(ctx, like);
  }
  const comments = ctx.db.query("comments").withIndex("by_author", (q) => q.eq("author", user));
  for (const comment of await comments.collect()) {
    const post = await ctx.db.get("posts", comment.post);
    if (post?.author === author) await removeComment(ctx, comment);
  }
}

/** Nobody of the two follows the other any more, and the blocked one's traces at my posts are gone. */
export const block = mutation({
  args: { handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { handle }) => {
    const { _id: blocker } = await requireUser(ctx);
    const { _id: blocked } = await userByHandle(ctx, handle);
    const block = await ctx.db
      .query("blocks")
      .withIndex("by_blocker", (q) => q.eq("blocker", blocker).eq("blocked", blocked))
      .unique();
    if (block !== null) return null;
    await ctx.db.insert("blocks", { blocker, blocked });
    await endFollow(ctx, blocker, blocked);
    await endFollow(ctx, blocked, blocker);
    await takeBack(ctx, blocked, blocker);
    return null;
  },
});

export const unblock = mutation({
  args: { handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { handle }) => {
    const viewer = await requireUser(ctx);
    const { _id: blocked } = await userByHandle(ctx, handle);
    const block = await ctx.db
      .query("blocks")
      .withIndex("by_blocker", (q) => q.eq("blocker", viewer._id).eq("blocked", blocked))
      .unique();
    if (block !== null) await ctx.db.delete("blocks", block._id);
    return null;
  },
});
