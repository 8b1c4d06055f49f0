// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";

export const ofHut = internalQuery({
  args: { hut: v.string() },
  returns: v.union(v.object({ salt: v.string(), hash: v.string() }), v.null()),
  handler: async (ctx, { hut }) => {
    const stored = await ctx.db
      .query("credentials")
      .withIndex("by_hut", (q) => q.eq("hut", hut))
      .first();
    return stored === null ? null : { salt: stored.salt, hash: stored.hash };
  },
});

export const store = internalMutation({
  args: { hut: v.string(), salt: v.string(), hash: v.string() },
  returns: v.null(),
  handler: async (ctx, { hut, salt, hash }) => {
    await ctx.db.insert("credentials", { hut, salt, hash });
    return null;
  },
});
