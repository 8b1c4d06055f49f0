// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const get = query({
  args: { conference: v.id("conferences") },
  handler: async (ctx, { conference }) => await ctx.db.get("conferences", conference),
});

export const add = mutation({
  args: { name: v.string() },
  returns: v.id("conferences"),
  handler: async (ctx, { name }) => {
    return await ctx.db.insert("conferences", { name, isClosed: false });
  },
});

export const close = mutation({
  args: { conference: v.id("conferences"), isClosed: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { conference, isClosed }) => {
    await ctx.db.patch("conferences", conference, { isClosed });
    return null;
  },
});
