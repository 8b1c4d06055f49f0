// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";
import { HOME_SIZE } from "./constants";
import { countsOf, likeOf } from "./model/counts";
import { excerptOfPost } from "./model/posts";
import { followsOf } from "./model/follows";
import { requireUser } from "./model/viewer";

interface Entry {
  author: Doc<"users">;
  post: Doc<"posts">;
}

/** The newest post of an author that is shown at this moment. */
function newestPost(ctx: QueryCtx, author: Id<"users">, now: number) {
  return ctx.db
    .query("posts")
    .withIndex("by_author_and_at", (q) =>
      q.eq("author", author).eq("hidden", false).lte("at", now),
    )
    .order("desc")
    .first();
}

/** The post that comes after this one of the same author. */
async function postAfter(ctx: QueryCtx, last: Doc<"posts">): Promise<Doc<"posts"> | null> {
  const sameMoment = await ctx.db
    .query("posts")
    .withIndex("by_author_and_at", (q) =>
      q
        .eq("author", last.author)
        .eq("hidden", false)
        .eq("at", last.at)
        .lt("_creationTime", last._creationTime),
    )
    .order("desc")
    .first();
  if (sameMoment !== null) return sameMoment;
  return await ctx.db
    .query("posts")
    .withIndex("by_author_and_at", (q) =>
      q.eq("author", last.author).eq("hidden", false).lt("at", last.at),
    )
    .order("desc")
    .first();
}

function isNewer(a: Doc<"posts">, b: Doc<"posts">): boolean {
  return a.at > b.at || (a.at === b.at && a._creationTime > b._creationTime);
}

async function reactionsTo(ctx: QueryCtx, post: Id<"posts">, viewer: Id<"users">) {
  const counts = await countsOf(ctx, post);
  if (counts !== null) {
    const liked = (await likeOf(ctx, post, viewer)) !== null;
    return { likes: counts.likes, liked, comments: counts.comments };
  }
  // Not converted yet.
  const likes = await ctx.db
    .query("likes")
    .withIndex("by_post", (q) => q.eq("post", post))
    .collect();
  const comments = await ctx.db
    .query("comments")
    .withIndex("by_post", (q) => q.eq("post", post))
    .collect();
  return {
    likes: likes.length,
    liked: likes.some((like) => like.user === viewer),
    comments: comments.filter((comment) => !comment.removed).length,
  };
}

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
    const followees = await Promise.all(
      follows
        .filter((follow) => follow.accepted && !follow.muted)
        .map((follow) => ctx.db.get("users", follow.followee)),
    );

    // The next post of each author who has one left.
    const heads: Entry[] = [];
    for (const author of [viewer, ...followees]) {
      if (author === null || (author.suspendedUntil ?? 0) > now) continue;
      const post = await newestPost(ctx, author._id, now);
      if (post !== null) heads.push({ author, post });
    }

    const entries: Entry[] = [];
    while (entries.length < HOME_SIZE && heads.length > 0) {
      const head = heads.reduce((best, other) => (isNewer(other.post, best.post) ? other : best));
      entries.push({ author: head.author, post: head.post });
      const post = await postAfter(ctx, head.post);
      if (post === null) heads.splice(heads.indexOf(head), 1);
      else head.post = post;
    }

    return await Promise.all(
      entries.map(async ({ author, post }) => {
        const { likes, liked, comments } = await reactionsTo(ctx, post._id, viewer._id);
        return {
          post: post._id,
          author: { handle: author.handle, name: author.name },
          excerpt: excerptOfPost(post),
          at: post.at,
          likes,
          liked,
          comments,
        };
      }),
    );
  },
});
