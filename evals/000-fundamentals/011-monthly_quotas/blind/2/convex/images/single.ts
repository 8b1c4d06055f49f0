// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { requireKey } from "../keys/check";
import { reply } from "../schema";
import { countImages } from "../usage/count";
import { takeOnce } from "./requests";
import { guessTags } from "./tags";

/** Tag an image at once, by its address alone. */
export const tag = internalMutation({
  args: { key: v.string(), url: v.string(), request: v.optional(v.string()) },
  returns: reply,
  handler: async (ctx, { key, url, request }) => {
    const project = await requireKey(ctx, key);
    return await takeOnce(ctx, project._id, request, async () => {
      await countImages(ctx, project, 1);
      const tags = guessTags(url);
      const image = await ctx.db.insert("images", { project: project._id, url, tags });
      return { image, tags };
    });
  },
});
