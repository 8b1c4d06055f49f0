// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import {
  addPost,
  changePost,
  checkBody,
  excerptOf,
  removePost,
  requireOwn,
  requireVisible,
} from "./model/posts";
import { requireUser, userByHandle } from "./model/viewer";

export const publish = mutation({
  args: { body: v.string(), at: v.optional(v.number()), expiresAt: v.optional(v.number()) },
  returns: v.id("posts"),
  handler: async (ctx, { body, at, expiresAt }) => {
    const { _id: author } = await requireUser(ctx);
    checkBody(body);
    return await addPost(ctx, {
      author,
      body,
      at: at ?? Date.now(),
      hidden: false,
      expiresAt,
    });
  },
});

export const edit = mutation({
  args: { post: v.id("posts"), body: v.string() },
  returns: v.null(),
  handler: async (ctx, { post, body }) => {
    await requireOwn(ctx, await requireUser(ctx), post);
    checkBody(body);
    await changePost(ctx, post, { body });
    return null;
  },
});

/** Moves a post to another moment. */
export const reschedule = mutation({
  args: { post: v.id("posts"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { post, at }) => {
    await requireOwn(ctx, await requireUser(ctx), post);
    await changePost(ctx, post, { at });
    return null;
  },
});

export const remove = mutation({
  args: { post: v.id("posts") },
  returns: v.null(),
  handler: async (ctx, { post }) => {
    await requireOwn(ctx, await requireUser(ctx), post);
    await removePost(ctx, post);
    return null;
  },
});

/** A post with its whole text. */
export const get = query({
  args: { post: v.id("posts") },
  handler: async (ctx, { post }) => {
    const { body, at } = await requireVisible(ctx, await requireUser(ctx), post);
    return { body, at };
  },
});

/** The latest ten posts of the caller, as they were stored; also scheduled and hidden ones. */
export const mine = query({
  args: {},
  handler: async (ctx) => {
    const viewer = await requireUser(ctx);
    const posts = await ctx.db
      .query("posts")
      .withIndex("by_author", (q) => q.eq("author", viewer._id))
      .order("desc")
      .take(10);
    return posts.map(({ _id, body, at, hidden }) => ({ _id, excerpt: excerptOf(body), at, hidden }));
  },
});

/** How many posts an account has stored, up to 100. */
export const count = query({
  args: { handle: v.string() },
  returns: v.number(),
  handler: async (ctx, { handle }) => {
    const author = await userByHandle(ctx, handle);
    const posts = ctx.db.query("posts").withIndex("by_author", (q) => q.eq("author", author._id));
    return (await posts.take(100)).length;
  },
});
