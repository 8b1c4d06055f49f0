// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const get = query({
  args: { show: v.id("shows") },
  handler: async (ctx, { show }) => await ctx.db.get("shows", show),
});

export const add = mutation({
  args: { name: v.string(), startsAt: v.number() },
  returns: v.id("shows"),
  handler: async (ctx, args) => await ctx.db.insert("shows", { ...args, isFrozen: false }),
});

export const freeze = mutation({
  args: { show: v.id("shows"), isFrozen: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { show, isFrozen }) => {
    await ctx.db.patch("shows", show, { isFrozen });
    return null;
  },
});
