// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";

export const lookUp = internalQuery({
  args: { hut: v.string() },
  handler: async (ctx, args) => {
    return await ctx.db
      .query("credentials")
      .withIndex("by_hut", (q) => q.eq("hut", args.hut))
      .first();
  },
});

export const upsert = internalMutation({
  args: { hut: v.string(), salt: v.string(), hash: v.string() },
  handler: async (ctx, args) => {
    const old = await ctx.db
      .query("credentials")
      .withIndex("by_hut", (q) => q.eq("hut", args.hut))
      .first();
    if (old !== null) {
      await ctx.db.delete("credentials", old._id);
    }
    await ctx.db.insert("credentials", args);
    return null;
  },
});
