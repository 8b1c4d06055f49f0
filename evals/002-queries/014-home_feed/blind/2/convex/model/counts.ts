// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";

/*
 * Whatever adds, removes or changes likes and comments does it by these functions, so that the
 * counts of the post stay right. Posts that are not converted yet have no counts: their likes and
 * comments are counted when they are converted.
 */

export function countsOf(ctx: QueryCtx, post: Id<"posts">) {
  return ctx.db
    .query("counts")
    .withIndex("by_post", (q) => q.eq("post", post))
    .unique();
}

export function likeOf(ctx: QueryCtx, post: Id<"posts">, user: Id<"users">) {
  return ctx.db
    .query("likes")
    .withIndex("by_post", (q) => q.eq("post", post).eq("user", user))
    .unique();
}

async function countLikes(ctx: MutationCtx, post: Id<"posts">, change: number) {
  const counts = await countsOf(ctx, post);
  if (counts !== null) await ctx.db.patch("counts", counts._id, { likes: counts.likes + change });
}

async function countComments(ctx: MutationCtx, post: Id<"posts">, change: number) {
  const counts = await countsOf(ctx, post);
  if (counts !== null)
    await ctx.db.patch("counts", counts._id, { comments: counts.comments + change });
}

export async function addLike(ctx: MutationCtx, post: Id<"posts">, user: Id<"users">) {
  await ctx.db.insert("likes", { post, user });
  await countLikes(ctx, post, 1);
}

export async function dropLike(ctx: MutationCtx, like: Doc<"likes">) {
  await ctx.db.delete("likes", like._id);
  await countLikes(ctx, like.post, -1);
}

export async function addComment(
  ctx: MutationCtx,
  post: Id<"posts">,
  author: Id<"users">,
  text: string,
): Promise<Id<"comments">> {
  const id = await ctx.db.insert("comments", { post, author, text, removed: false });
  await countComments(ctx, post, 1);
  return id;
}

export async function dropComment(ctx: MutationCtx, comment: Doc<"comments">) {
  await ctx.db.delete("comments", comment._id);
  if (!comment.removed) await countComments(ctx, comment.post, -1);
}

/** Removes a comment for moderators, or restores it. */
export async function setRemoved(ctx: MutationCtx, comment: Doc<"comments">, removed: boolean) {
  if (comment.removed === removed) return;
  await ctx.db.patch("comments", comment._id, { removed });
  await countComments(ctx, comment.post, removed ? -1 : 1);
}
