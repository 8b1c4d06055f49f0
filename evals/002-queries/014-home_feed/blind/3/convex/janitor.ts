// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { BATCH, DAY } from "./constants";
import { removeLike } from "./model/heads";
import { removePost } from "./model/posts";

/** Removes posts whose time is over. */
export const sweep = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const posts = await ctx.db
      .query("posts")
      .withIndex("by_expiry", (q) => q.gt("expiresAt", undefined).lte("expiresAt", Date.now()))
      .take(5);
    for (const post of posts) await removePost(ctx, post._id);
    return null;
  },
});

/** Takes back likes of bots: accounts that are suspended for more than another 30 days. */
export const dropBots = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for await (const user of ctx.db.query("users")) {
      if ((user.suspendedUntil ?? 0) <= Date.now() + 30 * DAY) continue;
      const likes = await ctx.db
        .query("likes")
        .withIndex("by_user", (q) => q.eq("user", user._id))
        .take(BATCH);
      for (const like of likes) await removeLike(ctx, like);
    }
    return null;
  },
});
