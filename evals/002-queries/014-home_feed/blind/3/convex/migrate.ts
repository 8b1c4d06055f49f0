// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, type MutationCtx } from "./_generated/server";
import { addCard } from "./model/cards";
import { isConverted, postsWithoutHead, usersWithoutCard } from "./model/conversion";
import { addHead } from "./model/heads";

/** The documents that one call reads, but for two with which it looks whether it is the last one. */
const READS = 480;
/** A post is read, its likes and comments, and the post once more when it is changed. */
const READS_OF_POST = 1 + 200 + 100 + 1;
const USERS = 100;
/** Posts can be long: this bounds the bytes. */
const POSTS = 50;

/** Converts the next part of what is stored; returns whether nothing is left. */
export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let left = READS;
    const users = await usersWithoutCard(ctx).take(USERS);
    for (const user of users) {
      await addCard(ctx, user);
      await ctx.db.patch("users", user._id, { hasCard: true });
      left -= 2;
    }
    for (let count = 0; count < POSTS && left >= READS_OF_POST; count++) {
      const post = await postsWithoutHead(ctx).first();
      if (post === null) break;
      left -= await convertPost(ctx, post);
    }
    return await isConverted(ctx);
  },
});

/** Returns how many documents it took. */
async function convertPost(ctx: MutationCtx, post: Doc<"posts">): Promise<number> {
  const likes = await ctx.db
    .query("likes")
    .withIndex("by_post", (q) => q.eq("post", post._id))
    .collect();
  const comments = await ctx.db
    .query("comments")
    .withIndex("by_post", (q) => q.eq("post", post._id))
    .collect();
  await addHead(ctx, post, {
    likes: likes.length,
    comments: comments.filter((comment) => !comment.removed).length,
  });
  await ctx.db.patch("posts", post._id, { hasHead: true });
  return 1 + likes.length + comments.length + 1;
}
