// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";
import { HOME_SIZE } from "./constants";
import { profileOf } from "./model/copies";
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
    const migration = await ctx.db.query("migration").unique();
    return migration?.table === null ? await showCards(ctx, viewer) : await showPosts(ctx, viewer);
  },
});

async function sourcesOf(ctx: QueryCtx, viewer: Doc<"users">) {
  const follows = await followsOf(ctx, viewer._id);
  const followees = follows
    .filter((follow) => follow.accepted && !follow.muted)
    .map((follow) => follow.followee);
  return [viewer._id, ...followees];
}

/** Merges the cards of all sources, and reads of each only one more than is shown. */
async function showCards(ctx: QueryCtx, viewer: Doc<"users">) {
  const now = Date.now();
  const streams = [];
  for (const author of await sourcesOf(ctx, viewer)) {
    const profile = await profileOf(ctx, author);
    if (profile === null || (profile.suspendedUntil ?? 0) > now) continue;
    const cards = ctx.db
      .query("cards")
      .withIndex("by_author", (q) => q.eq("author", author).eq("hidden", false).lte("at", now))
      .order("desc")
      [Symbol.asyncIterator]();
    const head = await cards.next();
    if (!head.done) streams.push({ profile, cards, card: head.value });
  }

  const entries = [];
  while (streams.length > 0 && entries.length < HOME_SIZE) {
    streams.sort((a, b) => b.card.at - a.card.at || b.card.storedAt - a.card.storedAt);
    const { profile, cards, card } = streams[0];
    const { post, excerpt, at, likes, comments } = card;
    const like = await ctx.db
      .query("likes")
      .withIndex("by_post", (q) => q.eq("post", post).eq("user", viewer._id))
      .unique();
    const author = { handle: profile.handle, name: profile.name };
    entries.push({ post, author, excerpt, at, likes, liked: like !== null, comments });
    const head = await cards.next();
    if (head.done) streams.shift();
    else streams[0].card = head.value;
  }
  return entries;
}

/** The same from the posts themselves, as long as some have no card. */
async function showPosts(ctx: QueryCtx, viewer: Doc<"users">) {
  const now = Date.now();
  const entries = [];
  for (const id of await sourcesOf(ctx, viewer)) {
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
}
