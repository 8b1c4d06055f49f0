// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { BATCH, MAX_BIO, MAX_NAME } from "./constants";
import { addCard, changeCard, removeCard } from "./model/cards";
import { getFollow } from "./model/follows";
import { removeComment, removeLike } from "./model/heads";
import { removePost } from "./model/posts";
import { requireUser, userByHandle } from "./model/viewer";

function checkName(name: string) {
  if (name.trim() === "" || name.length > MAX_NAME) throw new ConvexError("bad name");
}

export const register = mutation({
  args: { handle: v.string(), name: v.string() },
  returns: v.id("users"),
  handler: async (ctx, { handle, name }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) throw new ConvexError("not signed in");
    checkName(handle);
    checkName(name);
    const token = identity.tokenIdentifier;
    const users = ctx.db.query("users");
    const mine = await users.withIndex("by_token", (q) => q.eq("token", token)).first();
    if (mine !== null) return mine._id;
    const taken = ctx.db.query("users").withIndex("by_handle", (q) => q.eq("handle", handle));
    if ((await taken.first()) !== null) throw new ConvexError("handle taken");
    const _id = await ctx.db.insert("users", {
      token,
      handle,
      name,
      bio: "",
      isPrivate: false,
      role: "member",
      hasCard: true,
    });
    await addCard(ctx, { _id, token, handle, name });
    return _id;
  },
});

export const update = mutation({
  args: { name: v.optional(v.string()), bio: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, changes) => {
    const viewer = await requireUser(ctx);
    const { name } = changes;
    if (name !== undefined) checkName(name);
    if ((changes.bio ?? "").length > MAX_BIO) throw new ConvexError("bad bio");
    await ctx.db.patch("users", viewer._id, changes);
    if (name !== undefined) await changeCard(ctx, viewer._id, { name });
    return null;
  },
});

export const changeHandle = mutation({
  args: { handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { handle }) => {
    const viewer = await requireUser(ctx);
    checkName(handle);
    const taken = ctx.db.query("users").withIndex("by_handle", (q) => q.eq("handle", handle));
    if ((await taken.first()) !== null) throw new ConvexError("handle taken");
    await ctx.db.patch("users", viewer._id, { handle });
    await changeCard(ctx, viewer._id, { handle });
    return null;
  },
});

/** Whoever is not followed by an account that becomes private has to ask again. */
export const setPrivate = mutation({
  args: { isPrivate: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { isPrivate }) => {
    const viewer = await requireUser(ctx);
    await ctx.db.patch("users", viewer._id, { isPrivate });
    if (!isPrivate) return null;
    const followers = ctx.db
      .query("follows")
      .withIndex("by_followee", (q) => q.eq("followee", viewer._id));
    for (const follow of await followers.collect())
      if ((await getFollow(ctx, viewer._id, follow.follower)) === null)
        await ctx.db.patch("follows", follow._id, { accepted: false });
    return null;
  },
});

export const profile = query({
  args: { handle: v.string() },
  handler: async (ctx, { handle }) => {
    await requireUser(ctx);
    const { name, bio, isPrivate } = await userByHandle(ctx, handle);
    return { handle, name, bio, isPrivate };
  },
});

/** The account is gone at once, what it left behind bit by bit. */
export const close = mutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const { _id: user } = await requireUser(ctx);
    await ctx.db.delete("users", user);
    await removeCard(ctx, user);
    await ctx.scheduler.runAfter(0, internal.accounts.purge, { user });
    return null;
  },
});

export const purge = internalMutation({
  args: { user: v.id("users") },
  returns: v.null(),
  handler: async (ctx, { user }) => {
    const { db } = ctx;
    const posts = await db
      .query("posts")
      .withIndex("by_author", (q) => q.eq("author", user))
      .take(5);
    for (const post of posts) await removePost(ctx, post._id);
    const likes = await db
      .query("likes")
      .withIndex("by_user", (q) => q.eq("user", user))
      .take(BATCH);
    for (const like of likes) await removeLike(ctx, like);
    const comments = await db
      .query("comments")
      .withIndex("by_author", (q) => q.eq("author", user))
      .take(BATCH);
    for (const comment of comments) await removeComment(ctx, comment);
    const follows = [
      ...(await db
        .query("follows")
        .withIndex("by_follower", (q) => q.eq("follower", user))
        .take(BATCH)),
      ...(await db
        .query("follows")
        .withIndex("by_followee", (q) => q.eq("followee", user))
        .take(BATCH)),
    ];
    for (const follow of follows) await db.delete("follows", follow._id);
    if (posts.length + likes.length + comments.length + follows.length > 0)
      await ctx.scheduler.runAfter(0, internal.accounts.purge, { user });
    return null;
  },
});
