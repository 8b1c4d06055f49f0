// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { excerptOf } from "./posts";

// Copies of posts and users for the home. What was stored before there were copies has none until
// migrate.ts makes them from what is there at that moment; so a missing copy is left alone here.

export function cardOf(ctx: QueryCtx, post: Id<"posts">) {
  return ctx.db
    .query("cards")
    .withIndex("by_post", (q) => q.eq("post", post))
    .unique();
}

export function profileOf(ctx: QueryCtx, user: Id<"users">) {
  return ctx.db
    .query("profiles")
    .withIndex("by_user", (q) => q.eq("user", user))
    .unique();
}

export async function insertCard(
  ctx: MutationCtx,
  post: Doc<"posts">,
  counts: { likes: number; comments: number },
) {
  const { _id, _creationTime: storedAt, author, hidden, at } = post;
  const excerpt = excerptOf(post.body);
  await ctx.db.insert("cards", { post: _id, author, hidden, at, storedAt, excerpt, ...counts });
}

/** Stores a post with its card. */
export async function insertPost(
  ctx: MutationCtx,
  fields: Pick<Doc<"posts">, "author" | "body" | "at" | "expiresAt">,
): Promise<Id<"posts">> {
  const id = await ctx.db.insert("posts", { ...fields, hidden: false });
  const post = await ctx.db.get("posts", id);
  if (post !== null) await insertCard(ctx, post, { likes: 0, comments: 0 });
  return id;
}

export async function patchPost(
  ctx: MutationCtx,
  id: Id<"posts">,
  changes: Partial<Pick<Doc<"posts">, "author" | "body" | "at" | "hidden">>,
) {
  await ctx.db.patch("posts", id, changes);
  const card = await cardOf(ctx, id);
  if (card === null) return;
  const { body, ...same } = changes;
  const excerpt = body === undefined ? card.excerpt : excerptOf(body);
  await ctx.db.patch("cards", card._id, { ...same, excerpt });
}

/** Counts likes or comments that a mutation adds or takes; one after the other, never in parallel. */
export async function count(
  ctx: MutationCtx,
  post: Id<"posts">,
  what: "likes" | "comments",
  by: number,
) {
  const card = await cardOf(ctx, post);
  if (card !== null) await ctx.db.patch("cards", card._id, { [what]: card[what] + by });
}

export async function deleteLike(ctx: MutationCtx, like: Doc<"likes">) {
  await ctx.db.delete("likes", like._id);
  await count(ctx, like.post, "likes", -1);
}

export async function deleteComment(ctx: MutationCtx, comment: Doc<"comments">) {
  await ctx.db.delete("comments", comment._id);
  if (!comment.removed) await count(ctx, comment.post, "comments", -1);
}

export async function setRemoved(ctx: MutationCtx, comment: Doc<"comments">, removed: boolean) {
  if (comment.removed === removed) return;
  await ctx.db.patch("comments", comment._id, { removed });
  await count(ctx, comment.post, "comments", removed ? -1 : 1);
}

export async function insertProfile(ctx: MutationCtx, user: Doc<"users">) {
  const { _id, handle, name, suspendedUntil } = user;
  await ctx.db.insert("profiles", { user: _id, handle, name, suspendedUntil });
}

export async function patchUser(
  ctx: MutationCtx,
  user: Id<"users">,
  changes: Partial<Pick<Doc<"users">, "handle" | "name" | "bio" | "suspendedUntil">>,
) {
  await ctx.db.patch("users", user, changes);
  const profile = await profileOf(ctx, user);
  const { bio: _, ...same } = changes;
  if (profile !== null) await ctx.db.patch("profiles", profile._id, same);
}

export async function deleteUser(ctx: MutationCtx, user: Id<"users">) {
  await ctx.db.delete("users", user);
  const profile = await profileOf(ctx, user);
  if (profile !== null) await ctx.db.delete("profiles", profile._id);
}
