// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { WithoutSystemFields } from "convex/server";
import { EXCERPT } from "../constants";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/*
 * What a home shows of posts and accounts stands in small documents of its own: `cards` and `authors`.
 * Whatever changes a post, its likes or comments, or an account, changes them in the same transaction.
 * Posts and accounts from before have none until migrate.ts has converted them: then nothing is to be
 * changed here, and what it makes of them holds all that was changed before.
 */

/** Whether all posts have cards, and all accounts their small documents. */
export async function isConverted(ctx: QueryCtx): Promise<boolean> {
  const user = await ctx.db
    .query("users")
    .withIndex("by_hasCard", (q) => q.eq("hasCard", undefined))
    .first();
  if (user !== null) return false;
  const post = await ctx.db
    .query("posts")
    .withIndex("by_hasCard", (q) => q.eq("hasCard", undefined))
    .first();
  return post === null;
}

/** The beginning of a text, of which the excerpt is the same; it does not end within a character. */
function headOf(body: string): string {
  const last = body.charCodeAt(EXCERPT);
  return body.slice(0, last >= 0xd800 && last <= 0xdbff ? EXCERPT + 2 : EXCERPT + 1);
}

export function cardOf(ctx: QueryCtx, post: Id<"posts">): Promise<Doc<"cards"> | null> {
  return ctx.db
    .query("cards")
    .withIndex("by_post", (q) => q.eq("post", post))
    .unique();
}

export async function addCard(
  ctx: MutationCtx,
  { _id: post, _creationTime: stored, author, body, at, hidden }: Doc<"posts">,
  counts: { likes: number; comments: number },
) {
  await ctx.db.insert("cards", { post, stored, author, head: headOf(body), at, hidden, ...counts });
}

/** Stores a new post. */
export async function addPost(
  ctx: MutationCtx,
  fields: Omit<WithoutSystemFields<Doc<"posts">>, "hasCard">,
): Promise<Id<"posts">> {
  const id = await ctx.db.insert("posts", { ...fields, hasCard: true });
  const post = await ctx.db.get("posts", id);
  if (post !== null) await addCard(ctx, post, { likes: 0, comments: 0 });
  return id;
}

/** Changes a post. */
export async function changePost(
  ctx: MutationCtx,
  post: Id<"posts">,
  change: Partial<Pick<Doc<"posts">, "author" | "body" | "at" | "hidden">>,
) {
  await ctx.db.patch("posts", post, change);
  const card = await cardOf(ctx, post);
  if (card === null) return;
  const { body, ...same } = change;
  const head = body === undefined ? card.head : headOf(body);
  await ctx.db.patch("cards", card._id, { ...same, head });
}

/** Counts likes or comments that a post gets or loses. */
async function count(ctx: MutationCtx, post: Id<"posts">, what: "likes" | "comments", by: number) {
  const card = await cardOf(ctx, post);
  if (card === null) return;
  const { likes, comments } = card;
  const change = what === "likes" ? { likes: likes + by } : { comments: comments + by };
  await ctx.db.patch("cards", card._id, change);
}

export async function addLike(ctx: MutationCtx, post: Id<"posts">, user: Id<"users">) {
  await ctx.db.insert("likes", { post, user });
  await count(ctx, post, "likes", 1);
}

export async function dropLike(ctx: MutationCtx, like: Doc<"likes">) {
  await ctx.db.delete("likes", like._id);
  await count(ctx, like.post, "likes", -1);
}

export async function addComment(
  ctx: MutationCtx,
  fields: { post: Id<"posts">; author: Id<"users">; text: string },
): Promise<Id<"comments">> {
  const comment = await ctx.db.insert("comments", { ...fields, removed: false });
  await count(ctx, fields.post, "comments", 1);
  return comment;
}

export async function dropComment(ctx: MutationCtx, comment: Doc<"comments">) {
  await ctx.db.delete("comments", comment._id);
  if (!comment.removed) await count(ctx, comment.post, "comments", -1);
}

/** Removes a comment for a moderator, or restores it. */
export async function markComment(ctx: MutationCtx, comment: Doc<"comments">, removed: boolean) {
  if (comment.removed === removed) return;
  await ctx.db.patch("comments", comment._id, { removed });
  await count(ctx, comment.post, "comments", removed ? -1 : 1);
}

export function authorOf(ctx: QueryCtx, user: Id<"users">): Promise<Doc<"authors"> | null> {
  return ctx.db
    .query("authors")
    .withIndex("by_user", (q) => q.eq("user", user))
    .unique();
}

export async function addAuthor(
  ctx: MutationCtx,
  fields: WithoutSystemFields<Doc<"authors">>,
) {
  await ctx.db.insert("authors", fields);
}

/** Changes what homes show of an account, or heed. */
export async function changeAuthor(
  ctx: MutationCtx,
  user: Id<"users">,
  change: Partial<Pick<Doc<"authors">, "handle" | "name" | "suspendedUntil">>,
) {
  const author = await authorOf(ctx, user);
  if (author !== null) await ctx.db.patch("authors", author._id, change);
}

/** Deletes an account. */
export async function dropUser(ctx: MutationCtx, user: Id<"users">) {
  await ctx.db.delete("users", user);
  const author = await authorOf(ctx, user);
  if (author !== null) await ctx.db.delete("authors", author._id);
}
