// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { requireKey } from "../keys/check";
import { findReply, keepReply, reply } from "../requests/replies";
import { countImages } from "../usage/count";
import { guessTags } from "./tags";

/** Tag an image at once, by its address alone. */
export const tag = internalMutation({
  args: { key: v.string(), url: v.string(), requestId: v.optional(v.string()) },
  returns: reply,
  handler: async (ctx, { key, url, requestId }) => {
    const project = await requireKey(ctx, key);
    const first = await findReply(ctx, project._id, requestId);
    if (first !== null) {
      return first;
    }
    await countImages(ctx, project, 1);
    const tags = guessTags(url);
    const image = await ctx.db.insert("images", { project: project._id, url, tags });
    return await keepReply(ctx, project._id, requestId, {
      status: 200,
      text: JSON.stringify({ image, tags }),
    });
  },
});
