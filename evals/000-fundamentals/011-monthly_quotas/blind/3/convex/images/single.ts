// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { requireKey } from "../keys/check";
import { countImages } from "../usage/count";
import { findReply, httpReply, keepReply, overLimit } from "../usage/requests";
import { guessTags } from "./tags";

/** Tag an image at once, by its address alone. */
export const tag = internalMutation({
  args: { key: v.string(), url: v.string(), requestId: v.optional(v.string()) },
  returns: httpReply,
  handler: async (ctx, { key, url, requestId }) => {
    const project = await requireKey(ctx, key);
    const now = Date.now();
    const earlier = await findReply(ctx, project._id, requestId, now);
    if (earlier !== null) {
      return earlier;
    }
    const counted = await countImages(ctx, project, 1, now);
    if (counted === null) {
      return overLimit(now);
    }
    const tags = guessTags(url);
    const image = await ctx.db.insert("images", { project: project._id, url, tags });
    const body = JSON.stringify({ image, tags });
    return await keepReply(ctx, project._id, requestId, now, { status: 200, body });
  },
});
