// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const listOpen = query({
  args: {},
  handler: async (ctx) => {
    return await ctx.db
      .query("repairs")
      .withIndex("by_done", (q) => q.eq("done", false))
      .collect();
  },
});

export const accept = mutation({
  args: { item: v.string(), fault: v.string() },
  handler: async (ctx, args) => {
    const item = args.item.trim();
    if (item === "") throw new ConvexError("Name the item.");
    return await ctx.db.insert("repairs", { item, fault: args.fault.trim(), done: false });
  },
});

export const finish = mutation({
  args: { id: v.id("repairs") },
  handler: async (ctx, { id }) => {
    await ctx.db.patch("repairs", id, { done: true });
  },
});
