// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";
import { HOME_SIZE } from "./constants";
import { authorOf, isConverted } from "./model/cards";
import { followsOf } from "./model/follows";
import { excerptOf } from "./model/posts";
import { requireUser } from "./model/viewer";

type Shown = {
  post: Id<"posts">;
  author: { handle: string; name: string };
  excerpt: string;
  at: number;
  likes: number;
  liked: boolean;
  comments: number;
};

/**
 * The newest posts of the viewer and of those whom the viewer follows, without muted and suspended
 * ones. Of posts of the same moment the one that was stored last comes first.
 */
export const show = query({
  args: {},
  handler: async (ctx): Promise<Shown[]> => {
    const viewer = await requireUser(ctx);
    const now = Date.now();
    const follows = await followsOf(ctx, viewer._id);
    const followees = follows
      .filter((follow) => follow.accepted && !follow.muted)
      .map((follow) => follow.followee);
    const authors = [viewer._id, ...followees];
    return (await isConverted(ctx))
      ? await fromCards(ctx, viewer._id, authors, now)
      : await fromPosts(ctx, viewer._id, authors, now);
  },
});

/** The author's newest card that is shown. */
function newestCard(
  ctx: QueryCtx,
  author: Id<"users">,
  now: number,
): Promise<Doc<"cards"> | null> {
  return ctx.db
    .query("cards")
    .withIndex("by_author", (q) => q.eq("author", author).eq("hidden", false).lte("at", now))
    .order("desc")
    .first();
}

/** The card that comes after another one of the same author. */
async function cardAfter(ctx: QueryCtx, card: Doc<"cards">): Promise<Doc<"cards"> | null> {
  const { author, hidden, at, stored, post } = card;
  const { db } = ctx;
  const ofSameTime = await db
    .query("cards")
    .withIndex("by_author", (q) =>
      q
        .eq("author", author)
        .eq("hidden", hidden)
        .eq("at", at)
        .eq("stored", stored)
        .lt("post", post),
    )
    .order("desc")
    .first();
  if (ofSameTime !== null) return ofSameTime;
  const ofSameMoment = await db
    .query("cards")
    .withIndex("by_author", (q) =>
      q.eq("author", author).eq("hidden", hidden).eq("at", at).lt("stored", stored),
    )
    .order("desc")
    .first();
  if (ofSameMoment !== null) return ofSameMoment;
  return await db
    .query("cards")
    .withIndex("by_author", (q) => q.eq("author", author).eq("hidden", hidden).lt("at", at))
    .order("desc")
    .first();
}

/** Merges the authors' cards, of which only as many are read as are shown, and one of each author. */
async function fromCards(
  ctx: QueryCtx,
  viewer: Id<"users">,
  ids: Id<"users">[],
  now: number,
): Promise<Shown[]> {
  const heads = await Promise.all(
    ids.map(async (id) => {
      const author = await authorOf(ctx, id);
      if (author === null || (author.suspendedUntil ?? 0) > now) return [];
      const card = await newestCard(ctx, id, now);
      return card === null ? [] : [{ author, card }];
    }),
  );
  const open = heads.flat();
  const entries: { author: Doc<"authors">; card: Doc<"cards"> }[] = [];
  while (open.length > 0 && entries.length < HOME_SIZE) {
    let first = open[0];
    for (const other of open) {
      const order = other.card.at - first.card.at || other.card.stored - first.card.stored;
      if (order > 0) first = other;
    }
    entries.push({ ...first });
    const after = entries.length < HOME_SIZE ? await cardAfter(ctx, first.card) : null;
    if (after === null) open.splice(open.indexOf(first), 1);
    else first.card = after;
  }

  return await Promise.all(
    entries.map(async ({ author, card }) => {
      const like = await ctx.db
        .query("likes")
        .withIndex("by_post", (q) => q.eq("post", card.post).eq("user", viewer))
        .first();
      return {
        post: card.post,
        author: { handle: author.handle, name: author.name },
        excerpt: excerptOf(card.head),
        at: card.at,
        likes: card.likes,
        liked: like !== null,
        comments: card.comments,
      };
    }),
  );
}

/** The same while not everything is converted. */
async function fromPosts(
  ctx: QueryCtx,
  viewer: Id<"users">,
  ids: Id<"users">[],
  now: number,
): Promise<Shown[]> {
  const entries: { author: Doc<"users">; post: Doc<"posts"> }[] = [];
  for (const id of ids) {
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
        liked: likes.some((like) => like.user === viewer),
        comments: comments.filter((comment) => !comment.removed).length,
      };
    }),
  );
}
