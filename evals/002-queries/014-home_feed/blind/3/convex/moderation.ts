// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation } from "./_generated/server";
import { changeCard } from "./model/cards";
import { addToCounts } from "./model/heads";
import { changePost } from "./model/posts";
import { requireModerator, userByHandle } from "./model/viewer";

export const hide = mutation({
  args: { post: v.id("posts"), hidden: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { post, hidden }) => {
    await requireModerator(ctx);
    if ((await ctx.db.get("posts", post)) === null) throw new ConvexError("no such post");
    await changePost(ctx, post, { hidden });
    return null;
  },
});

/** The verdict of the service that looks at pictures and texts. */
export const flagged = internalMutation({
  args: { post: v.string(), hidden: v.boolean() },
  returns: v.boolean(),
  handler: async (ctx, { post, hidden }) => {
    const id = ctx.db.normalizeId("posts", post);
    if (id === null || (await ctx.db.get("posts", id)) === null) return false;
    await changePost(ctx, id, { hidden });
    return true;
  },
});

export const removeComment = mutation({
  args: { comment: v.id("comments"), removed: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { comment: id, removed }) => {
    await requireModerator(ctx);
    const comment = await ctx.db.get("comments", id);
    if (comment === null) throw new ConvexError("no such comment");
    if (comment.removed === removed) return null;
    await ctx.db.patch("comments", id, { removed });
    await addToCounts(ctx, comment.post, { comments: removed ? -1 : 1 });
    return null;
  },
});

/** Removes all comments of an account that sends spam. */
export const silence = mutation({
  args: { handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { handle }) => {
    await requireModerator(ctx);
    const { _id: author } = await userByHandle(ctx, handle);
    const comments = ctx.db.query("comments").withIndex("by_author", (q) => q.eq("author", author));
    const counts = new Map<Id<"posts">, number>();
    for (const { _id, post, removed } of await comments.collect()) {
      if (removed) continue;
      await ctx.db.patch("comments", _id, { removed: true });
      counts.set(post, (counts.get(post) ?? 0) + 1);
    }
    for (const [post, count] of counts) await addToCounts(ctx, post, { comments: -count });
    return null;
  },
});

export const suspend = mutation({
  args: { handle: v.string(), until: v.number() },
  returns: v.null(),
  handler: async (ctx, { handle, until }) => {
    await requireModerator(ctx);
    const { _id } = await userByHandle(ctx, handle);
    await ctx.db.patch("users", _id, { suspendedUntil: until });
    await changeCard(ctx, _id, { suspendedUntil: until });
    return null;
  },
});

/** Takes away a name that offends. */
export const resetName = mutation({
  args: { handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { handle }) => {
    await requireModerator(ctx);
    const user = await userByHandle(ctx, handle);
    const name = `Member ${handle.slice(0, 3)}`;
    await ctx.db.patch("users", user._id, { name, bio: "" });
    await changeCard(ctx, user._id, { name });
    return null;
  },
});
