// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { MAX_FOLLOWING } from "./constants";
import { endFollow, followsOf, getFollow } from "./model/follows";
import { requireUser, userByHandle } from "./model/viewer";

export const follow = mutation({
  args: { handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { handle }) => {
    const { _id: follower } = await requireUser(ctx);
    const { _id: followee, isPrivate } = await userByHandle(ctx, handle);
    if (follower === followee) throw new ConvexError("that is you");
    const block = await ctx.db
      .query("blocks")
      .withIndex("by_blocker", (q) => q.eq("blocker", followee).eq("blocked", follower))
      .unique();
    if (block !== null) throw new ConvexError("no such account");
    if ((await getFollow(ctx, follower, followee)) !== null) return null;
    if ((await followsOf(ctx, follower)).length >= MAX_FOLLOWING) throw new ConvexError("too many");
    await ctx.db.insert("follows", { follower, followee, accepted: !isPrivate, muted: false });
    return null;
  },
});

export const unfollow = mutation({
  args: { handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { handle }) => {
    const viewer = await requireUser(ctx);
    await endFollow(ctx, viewer._id, (await userByHandle(ctx, handle))._id);
    return null;
  },
});

/** Accepts a request of the account with this handle. */
export const accept = mutation({
  args: { handle: v.string() },
  returns: v.null(),
  handler: async (ctx, { handle }) => {
    const viewer = await requireUser(ctx);
    const follow = await getFollow(ctx, (await userByHandle(ctx, handle))._id, viewer._id);
    if (follow === null) throw new ConvexError("no such request");
    await ctx.db.patch("follows", follow._id, { accepted: true });
    return null;
  },
});

export const mute = mutation({
  args: { handle: v.string(), muted: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { handle, muted }) => {
    const viewer = await requireUser(ctx);
    const follow = await getFollow(ctx, viewer._id, (await userByHandle(ctx, handle))._id);
    if (follow === null) throw new ConvexError("not followed");
    await ctx.db.patch("follows", follow._id, { muted });
    return null;
  },
});
