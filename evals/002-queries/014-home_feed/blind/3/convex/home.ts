// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";
import { HOME_SIZE } from "./constants";
import { cardOf, requireCard } from "./model/cards";
import { isConverted } from "./model/conversion";
import { followsOf } from "./model/follows";
import { isNewer, newestHead, olderHead } from "./model/heads";
import { excerptOf } from "./model/posts";
import { requireUser } from "./model/viewer";

/**
 * The newest posts of the viewer and of those whom the viewer follows, without muted and suspended
 * ones. Of posts of the same moment the one that was stored last comes first.
 */
export const show = query({
  args: {},
  handler: async (ctx) =>
    (await isConverted(ctx)) ? await showFromHeads(ctx) : await showFromPosts(ctx),
});

async function showFromHeads(ctx: QueryCtx) {
  const viewer = await requireCard(ctx);
  const now = Date.now();
  const follows = await followsOf(ctx, viewer.user);
  const followees = await Promise.all(
    follows
      .filter((follow) => follow.accepted && !follow.muted)
      .map((follow) => cardOf(ctx, follow.followee)),
  );

  // The newest head that is not taken yet of each author who has one.
  const newest = await Promise.all(
    [viewer, ...followees].map(async (author) => {
      if (author === null || (author.suspendedUntil ?? 0) > now) return [];
      const head = await newestHead(ctx, author.user, now);
      return head === null ? [] : [{ author, head }];
    }),
  );
  let candidates = newest.flat();
  const entries: { author: Doc<"cards">; head: Doc<"heads"> }[] = [];
  while (candidates.length > 0) {
    const next = candidates.reduce((best, each) => (isNewer(each.head, best.head) ? each : best));
    entries.push(next);
    if (entries.length === HOME_SIZE) break;
    const head = await olderHead(ctx, next.head);
    candidates = candidates.flatMap((each) => {
      if (each !== next) return [each];
      return head === null ? [] : [{ author: each.author, head }];
    });
  }

  return await Promise.all(
    entries.map(async ({ author, head }) => {
      const like = await ctx.db
        .query("likes")
        .withIndex("by_post", (q) => q.eq("post", head.post).eq("user", viewer.user))
        .first();
      return {
        post: head.post,
        author: { handle: author.handle, name: author.name },
        excerpt: excerptOf(head.start),
        at: head.at,
        likes: head.likes,
        liked: like !== null,
        comments: head.comments,
      };
    }),
  );
}

/** The same, as long as there are posts without heads or users without cards. */
async function showFromPosts(ctx: QueryCtx) {
  const viewer = await requireUser(ctx);
  const now = Date.now();
  const follows = await followsOf(ctx, viewer._id);
  const followees = follows
    .filter((follow) => follow.accepted && !follow.muted)
    .map((follow) => follow.followee);

  const entries: { author: Doc<"users">; post: Doc<"posts"> }[] = [];
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
  entries.sort((a, b) => b.post.at - a.post.at || b.post._creationTime - a.post._creationTime);

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
}
