// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { mutation, query } from "./_generated/server";

/** All lists with their sizes, from left to right. */
export const overview = query({
  args: {},
  handler: async (ctx) => await ctx.db.query("lists").take(20),
});

export const add = mutation({
  args: { name: v.string(), isDone: v.optional(v.boolean()), limit: v.optional(v.number()) },
  returns: v.id("lists"),
  handler: async (ctx, { name, isDone = false, limit }) => {
    return await ctx.db.insert("lists", { name, isDone, size: 0, ...(limit && { limit }) });
  },
});
