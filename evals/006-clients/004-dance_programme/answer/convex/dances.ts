// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const programme = query({
  args: { evening: v.string() },
  handler: async (ctx, { evening }) => {
    return await ctx.db
      .query("dances")
      .withIndex("by_evening_and_minute", (q) => q.eq("evening", evening))
      .collect();
  },
});

export const add = mutation({
  args: { evening: v.string(), minute: v.number(), name: v.string() },
  handler: async (ctx, dance) => {
    const same = await ctx.db
      .query("dances")
      .withIndex("by_evening_and_name", (q) =>
        q.eq("evening", dance.evening).eq("name", dance.name),
      )
      .first();
    if (same !== null) throw new ConvexError("This dance is on already.");
    return await ctx.db.insert("dances", dance);
  },
});
