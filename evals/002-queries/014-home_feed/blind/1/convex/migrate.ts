// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { addAuthor, addCard, isConverted } from "./model/cards";

/** The documents that one call reads at most. */
const MAX_READ = 500;
/** What one post may take: itself, twice, with 200 likes and 100 comments. */
const MAX_POST = 302;
/** What `isConverted` may read. */
const CHECK = 2;
const USERS = 40;
const POSTS = 20;

/** Converts the next accounts and posts. Returns whether nothing is left. */
export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const { db } = ctx;
    const users = await db
      .query("users")
      .withIndex("by_hasCard", (q) => q.eq("hasCard", undefined))
      .take(USERS);
    for (const { _id: user, handle, name, suspendedUntil } of users) {
      await addAuthor(ctx, { user, handle, name, suspendedUntil });
      await db.patch("users", user, { hasCard: true });
    }

    let read = 2 * users.length;
    for (let posts = 0; posts < POSTS && read + MAX_POST + CHECK <= MAX_READ; posts += 1) {
      const post = await db
        .query("posts")
        .withIndex("by_hasCard", (q) => q.eq("hasCard", undefined))
        .first();
      if (post === null) break;
      const likes = await db
        .query("likes")
        .withIndex("by_post", (q) => q.eq("post", post._id))
        .collect();
      const comments = await db
        .query("comments")
        .withIndex("by_post", (q) => q.eq("post", post._id))
        .collect();
      await addCard(ctx, post, {
        likes: likes.length,
        comments: comments.filter((comment) => !comment.removed).length,
      });
      await db.patch("posts", post._id, { hasCard: true });
      read += 2 + likes.length + comments.length;
    }
    return await isConverted(ctx);
  },
});
