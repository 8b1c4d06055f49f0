// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { addPost, checkBody } from "./model/posts";
import { requireUser } from "./model/viewer";

/** Brings posts from another network, which tells the day of each, and no time. */
export const bring = mutation({
  args: { posts: v.array(v.object({ body: v.string(), day: v.string() })) },
  returns: v.number(),
  handler: async (ctx, { posts }) => {
    const { _id: author } = await requireUser(ctx);
    if (posts.length > 100) throw new ConvexError("too many");
    for (const { body, day } of posts) {
      const at = Date.parse(`${day}T00:00:00Z`);
      if (Number.isNaN(at)) throw new ConvexError("bad day");
      checkBody(body);
      await addPost(ctx, { author, body, at, hidden: false });
    }
    return posts.length;
  },
});
