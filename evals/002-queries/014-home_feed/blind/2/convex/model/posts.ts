// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import { EXCERPT, MAX_BODY } from "../constants";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { countsOf } from "./counts";
import { getFollow } from "./follows";

/** The excerpt of a text, or of its head. */
function excerptOf(body: string): string {
  return body.length > EXCERPT ? `${body.slice(0, EXCERPT)}…` : body;
}

/** As much of a text as its excerpt is made of, and one character more; it splits no character. */
function headOf(body: string): string {
  const last = body.charCodeAt(EXCERPT);
  const isSplit = last >= 0xd800 && last <= 0xdbff;
  return body.slice(0, EXCERPT + (isSplit ? 2 : 1));
}

export function excerptOfPost(post: Doc<"posts">): string {
  return excerptOf(post.head ?? post.body ?? "");
}

export function checkBody(body: string) {
  if (body.trim() === "" || body.length > MAX_BODY) throw new ConvexError("bad text");
}

function storedBody(ctx: QueryCtx, post: Id<"posts">) {
  return ctx.db
    .query("bodies")
    .withIndex("by_post", (q) => q.eq("post", post))
    .unique();
}

/** Posts that are not converted yet still hold their text themselves. */
export async function bodyOf(ctx: QueryCtx, post: Doc<"posts">): Promise<string> {
  return post.body ?? (await storedBody(ctx, post._id))?.body ?? "";
}

/** Stores a new post, whose text was checked. */
export async function addPost(
  ctx: MutationCtx,
  fields: { author: Id<"users">; body: string; at: number; expiresAt?: number },
): Promise<Id<"posts">> {
  const { body, ...rest } = fields;
  const post = await ctx.db.insert("posts", { ...rest, hidden: false, head: headOf(body) });
  await ctx.db.insert("bodies", { post, body });
  await ctx.db.insert("counts", { post, likes: 0, comments: 0 });
  return post;
}

/** Gives a post another text, which was checked. */
export async function setBody(ctx: MutationCtx, post: Doc<"posts">, body: string) {
  if (post.head === undefined) {
    await ctx.db.patch("posts", post._id, { body });
    return;
  }
  const stored = await storedBody(ctx, post._id);
  if (stored === null) await ctx.db.insert("bodies", { post: post._id, body });
  else await ctx.db.patch("bodies", stored._id, { body });
  await ctx.db.patch("posts", post._id, { head: headOf(body) });
}

/** Converts a post that still holds its text and has no counts. Returns how many documents it read. */
export async function convertPost(ctx: MutationCtx, post: Doc<"posts">): Promise<number> {
  const { _id: id, body = "" } = post;
  const likes = await ctx.db
    .query("likes")
    .withIndex("by_post", (q) => q.eq("post", id))
    .collect();
  const comments = await ctx.db
    .query("comments")
    .withIndex("by_post", (q) => q.eq("post", id))
    .collect();
  await ctx.db.insert("bodies", { post: id, body });
  await ctx.db.insert("counts", {
    post: id,
    likes: likes.length,
    comments: comments.filter((comment) => !comment.removed).length,
  });
  await ctx.db.patch("posts", id, { body: undefined, head: headOf(body) });
  // The post was read before, and is once more by `patch`.
  return likes.length + comments.length + 2;
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

/** Removes a post with its text, its counts, its likes and its comments. */
export async function removePost(ctx: MutationCtx, post: Id<"posts">) {
  const likes = ctx.db.query("likes").withIndex("by_post", (q) => q.eq("post", post));
  for (const like of await likes.collect()) await ctx.db.delete("likes", like._id);
  const comments = ctx.db.query("comments").withIndex("by_post", (q) => q.eq("post", post));
  for (const comment of await comments.collect()) await ctx.db.delete("comments", comment._id);
  const counts = await countsOf(ctx, post);
  if (counts !== null) await ctx.db.delete("counts", counts._id);
  const stored = await storedBody(ctx, post);
  if (stored !== null) await ctx.db.delete("bodies", stored._id);
  await ctx.db.delete("posts", post);
}
