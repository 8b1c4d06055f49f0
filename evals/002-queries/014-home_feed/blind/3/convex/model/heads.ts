// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { EXCERPT } from "../constants";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/*
 * A head is what a home shows of a post, which may be long. It is written together with the post, its
 * likes and its comments. Posts of former times have none until `migrate:next` comes to them; what it
 * counts then is right.
 */

/** A beginning that has the same excerpt as the body. It does not end within a character. */
function startOf(body: string): string {
  const end = EXCERPT + 1;
  const isWithin = (body.codePointAt(end - 1) ?? 0) > 0xffff;
  return body.slice(0, isWithin ? end + 1 : end);
}

async function headOf(ctx: QueryCtx, post: Id<"posts">): Promise<Doc<"heads"> | null> {
  return await ctx.db
    .query("heads")
    .withIndex("by_post", (q) => q.eq("post", post))
    .unique();
}

export async function addHead(
  ctx: MutationCtx,
  post: Doc<"posts">,
  counts: { likes: number; comments: number },
) {
  const { _id, _creationTime: stored, author, body, at, hidden } = post;
  const start = startOf(body);
  await ctx.db.insert("heads", { post: _id, author, start, at, hidden, stored, ...counts });
}

export async function changeHead(
  ctx: MutationCtx,
  post: Id<"posts">,
  { body, ...changes }: Partial<Pick<Doc<"posts">, "author" | "body" | "at" | "hidden">>,
) {
  const head = await headOf(ctx, post);
  if (head === null) return;
  const start = body === undefined ? {} : { start: startOf(body) };
  await ctx.db.patch("heads", head._id, { ...changes, ...start });
}

export async function removeHead(ctx: MutationCtx, post: Id<"posts">) {
  const head = await headOf(ctx, post);
  if (head !== null) await ctx.db.delete("heads", head._id);
}

/** Counts likes and comments more at a post, or less. Removed comments do not count. */
export async function addToCounts(
  ctx: MutationCtx,
  post: Id<"posts">,
  { likes = 0, comments = 0 }: { likes?: number; comments?: number },
) {
  const head = await headOf(ctx, post);
  if (head === null) return;
  await ctx.db.patch("heads", head._id, {
    likes: head.likes + likes,
    comments: head.comments + comments,
  });
}

export async function removeLike(ctx: MutationCtx, like: Doc<"likes">) {
  await ctx.db.delete("likes", like._id);
  await addToCounts(ctx, like.post, { likes: -1 });
}

export async function removeComment(ctx: MutationCtx, comment: Doc<"comments">) {
  await ctx.db.delete("comments", comment._id);
  if (!comment.removed) await addToCounts(ctx, comment.post, { comments: -1 });
}

/** The order of a home: by moment, and in the same moment by when they were stored. */
export function isNewer(a: Doc<"heads">, b: Doc<"heads">): boolean {
  return a.at === b.at ? a.stored > b.stored : a.at > b.at;
}

/** The newest head of an author that is shown now. */
export async function newestHead(
  ctx: QueryCtx,
  author: Id<"users">,
  now: number,
): Promise<Doc<"heads"> | null> {
  return await ctx.db
    .query("heads")
    .withIndex("by_author", (q) => q.eq("author", author).eq("hidden", false).lte("at", now))
    .order("desc")
    .first();
}

/** The head of the same author that comes after one that is shown. */
export async function olderHead(
  ctx: QueryCtx,
  { author, at, stored }: Doc<"heads">,
): Promise<Doc<"heads"> | null> {
  const sameMoment = await ctx.db
    .query("heads")
    .withIndex("by_author", (q) =>
      q.eq("author", author).eq("hidden", false).eq("at", at).lt("stored", stored),
    )
    .order("desc")
    .first();
  if (sameMoment !== null) return sameMoment;
  return await ctx.db
    .query("heads")
    .withIndex("by_author", (q) => q.eq("author", author).eq("hidden", false).lt("at", at))
    .order("desc")
    .first();
}
