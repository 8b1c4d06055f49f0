// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";

export const insert = internalMutation({
  args: { cave: v.string(), file: v.id("_storage"), contentType: v.string() },
  handler: async (ctx, args) => {
    return await ctx.db.insert("scans", args);
  },
});

export const get = internalQuery({
  args: { id: v.string() },
  handler: async (ctx, args) => {
    const id = ctx.db.normalizeId("scans", args.id);
    return id ? await ctx.db.get(id) : null;
  },
});
