// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { query } from "./_generated/server";
import { HOME_SIZE } from "./constants";
import { excerptOf } from "./model/posts";
import { followsOf } from "./model/follows";
import { requireUser } from "./model/viewer";

/**
 * The newest posts of the viewer and of those whom the viewer follows, without muted and suspended
 * ones. Of posts of the same moment the one that was stored last comes first.
 */
export const show = query({
  args: {},
  handler: async (ctx) => {
    const viewer = await requireUser(ctx);
    const now = Date.now();
    const follows = await followsOf(ctx, viewer._id);
    const followees = follows
      .filter((follow) => follow.accepted && !follow.muted)
      .map((follow) => follow.followee);

    const entries = [];
    for (const id of [viewer._id, ...followees]) {
      const author = await ctx.db.get("users", id);
      if (author === null || (author.suspendedUntil ?? 0) > now) continue;
      const posts = await ctx.db
        .query("posts")
        .withIndex("by_author", (q) => q.eq("author", id))
        .collect();
      for (const post of posts)
        if (!post.hidden && post.at <= now) entries.push({ author, post });
    }
    entries.sort(
      (a, b) => b.post.at - a.post.at || b.post._creationTime - a.post._creationTime,
    );

    return await Promise.all(
      entries.slice(0, HOME_SIZE).map(async ({ author, post }) => {
        const likes = await ctx.db
          .query("likes")
          .withIndex("by_post", (q) => q.eq("post", post._id))
          .collect();
        const comments = await ctx.db
          .query("comments")
          .withIndex("by_post", (q) => q.eq("post", post._id))
          .collect();
        return {
          post: post._id,
          author: { handle: author.handle, name: author.name },
          excerpt: excerptOf(post.body),
          at: post.at,
          likes: likes.length,
          liked: likes.some((like) => like.user === viewer._id),
          comments: comments.filter((comment) => !comment.removed).length,
        };
      }),
    );
  },
});
