// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { removeCard } from "./model/cards";
import { getFollow } from "./model/follows";
import { removeLike } from "./model/heads";
import { changePost } from "./model/posts";
import { requireModerator, userByHandle } from "./model/viewer";

/**
 * Somebody registered twice: what the first account has goes over to the second, and the first is
 * gone. Moderators do this for small accounts only, so one transaction is enough.
 */
export const mergeAccounts = mutation({
  args: { from: v.string(), into: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireModerator(ctx);
    const { db } = ctx;
    const { _id: from } = await userByHandle(ctx, args.from);
    const { _id: into } = await userByHandle(ctx, args.into);
    if (from === into) throw new ConvexError("the same account");

    const posts = db.query("posts").withIndex("by_author", (q) => q.eq("author", from));
    for (const post of await posts.collect()) await changePost(ctx, post._id, { author: into });

    // Nobody likes a post twice.
    const likes = db.query("likes").withIndex("by_user", (q) => q.eq("user", from));
    for (const like of await likes.collect()) {
      const double = await db
        .query("likes")
        .withIndex("by_post", (q) => q.eq("post", like.post).eq("user", into))
        .unique();
      if (double === null) await db.patch("likes", like._id, { user: into });
      else await removeLike(ctx, like);
    }

    const comments = db.query("comments").withIndex("by_author", (q) => q.eq("author", from));
    for (const comment of await comments.collect())
      await db.patch("comments", comment._id, { author: into });

    const followers = db.query("follows").withIndex("by_followee", (q) => q.eq("followee", from));
    for (const follow of await followers.collect()) {
      const { follower } = follow;
      const isDouble = follower === into || (await getFollow(ctx, follower, into)) !== null;
      if (isDouble) await db.delete("follows", follow._id);
      else await db.patch("follows", follow._id, { followee: into });
    }
    const own = db.query("follows").withIndex("by_follower", (q) => q.eq("follower", from));
    for (const follow of await own.collect()) await db.delete("follows", follow._id);

    await db.delete("users", from);
    await removeCard(ctx, from);
    return null;
  },
});
