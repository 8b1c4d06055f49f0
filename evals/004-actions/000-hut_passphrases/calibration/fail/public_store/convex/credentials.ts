// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const ofHut = query({
  args: { hut: v.string() },
  returns: v.union(v.object({ salt: v.string(), hash: v.string() }), v.null()),
  handler: async (ctx, { hut }) => {
    const stored = await ctx.db
      .query("credentials")
      .withIndex("by_hut", (q) => q.eq("hut", hut))
      .unique();
    return stored === null ? null : { salt: stored.salt, hash: stored.hash };
  },
});

export const store = mutation({
  args: { hut: v.string(), salt: v.string(), hash: v.string() },
  returns: v.null(),
  handler: async (ctx, { hut, salt, hash }) => {
    const stored = await ctx.db
      .query("credentials")
      .withIndex("by_hut", (q) => q.eq("hut", hut))
      .unique();
    if (stored === null) {
      await ctx.db.insert("credentials", { hut, salt, hash });
    } else {
      await ctx.db.patch("credentials", stored._id, { salt, hash });
    }
    return null;
  },
});
