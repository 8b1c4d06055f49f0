// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import { EXCERPT, MAX_BODY } from "../constants";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { getFollow } from "./follows";
import { addHead, changeHead, removeHead } from "./heads";

export function excerptOf(body: string): string {
  return body.length > EXCERPT ? `${body.slice(0, EXCERPT)}…` : body;
}

export function checkBody(body: string) {
  if (body.trim() === "" || body.length > MAX_BODY) throw new ConvexError("bad text");
}

/** A post that the viewer may open: shown already, not hidden, and not of a stranger's private account. */
export async function requireVisible(
  ctx: QueryCtx,
  viewer: Doc<"users">,
  id: Id<"posts">,
): Promise<Doc<"posts">> {
  const post = await ctx.db.get("posts", id);
  if (post === null) throw new ConvexError("no such post");
  if (post.author === viewer._id) return post;
  const author = await ctx.db.get("users", post.author);
  if (author === null || post.hidden || post.at > Date.now()) throw new ConvexError("no such post");
  const follow = author.isPrivate ? await getFollow(ctx, viewer._id, author._id) : null;
  if (author.isPrivate && !follow?.accepted) throw new ConvexError("no such post");
  return post;
}

export async function requireOwn(
  ctx: QueryCtx,
  viewer: Doc<"users">,
  id: Id<"posts">,
): Promise<Doc<"posts">> {
  const post = await ctx.db.get("posts", id);
  if (post?.author !== viewer._id) throw new ConvexError("no such post");
  return post;
}

/** Stores a post, with its head. */
export async function addPost(
  ctx: MutationCtx,
  fields: Pick<Doc<"posts">, "author" | "body" | "at" | "hidden" | "expiresAt">,
): Promise<Id<"posts">> {
  const id = await ctx.db.insert("posts", { ...fields, hasHead: true });
  const post = await ctx.db.get("posts", id);
  if (post !== null) await addHead(ctx, post, { likes: 0, comments: 0 });
  return id;
}

/** Changes a post, and its head. */
export async function changePost(
  ctx: MutationCtx,
  post: Id<"posts">,
  changes: Partial<Pick<Doc<"posts">, "author" | "body" | "at" | "hidden">>,
) {
  await ctx.db.patch("posts", post, changes);
  await changeHead(ctx, post, changes);
}

/** Removes a post with its likes and comments. */
export async function removePost(ctx: MutationCtx, post: Id<"posts">) {
  const likes = ctx.db.query("likes").withIndex("by_post", (q) => q.eq("post", post));
  for (const like of await likes.collect()) await ctx.db.delete("likes", like._id);
  const comments = ctx.db.query("comments").withIndex("by_post", (q) => q.eq("post", post));
  for (const comment of await comments.collect()) await ctx.db.delete("comments", comment._id);
  await removeHead(ctx, post);
  await ctx.db.delete("posts", post);
}
