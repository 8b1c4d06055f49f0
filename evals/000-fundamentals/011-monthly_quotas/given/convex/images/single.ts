// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";
import { requireKey } from "../keys/check";
import { guessTags } from "./tags";

/** Tag an image at once, by its address alone. */
export const tag = internalMutation({
  args: { key: v.string(), url: v.string() },
  returns: v.object({ image: v.id("images"), tags: v.array(v.string()) }),
  handler: async (ctx, { key, url }) => {
    const project = await requireKey(ctx, key);
    const tags = guessTags(url);
    const image = await ctx.db.insert("images", { project: project._id, url, tags });
    return { image, tags };
  },
});
