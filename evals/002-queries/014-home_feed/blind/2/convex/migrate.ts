// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { setBio } from "./model/bios";
import { convertPost } from "./model/posts";

/** Documents that one call may read. */
const MAX_READS = 500;
/** What a post costs at most: 200 likes, 100 comments, and the post itself twice. */
const LARGEST_POST = 302;
/** Converted in one call; texts are long. */
const USERS = 80;
const POSTS = 50;

/** Converts the next part of what is stored; true if nothing is left to convert. */
export const next = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const users = await ctx.db
      .query("users")
      .withIndex("by_bio", (q) => q.gt("bio", undefined))
      .take(USERS);
    for (const { _id, bio } of users) if (bio !== undefined) await setBio(ctx, _id, bio);
    if (users.length > 0) return false;

    let reads = 0;
    for (let count = 0; count < POSTS && reads + LARGEST_POST <= MAX_READS; count++) {
      const post = await ctx.db
        .query("posts")
        .withIndex("by_head", (q) => q.eq("head", undefined))
        .first();
      if (post === null) return true;
      reads += await convertPost(ctx, post);
    }
    return false;
  },
});
