// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";

export const add = internalMutation({
  args: { cave: v.string(), file: v.id("_storage"), contentType: v.string() },
  handler: async (ctx, { cave, file, contentType }) =>
    await ctx.db.insert("scans", { cave, file, contentType }),
});

export const find = internalQuery({
  args: { id: v.nullable(v.string()) },
  handler: async (ctx, { id }) => {
    const known = id === null ? null : ctx.db.normalizeId("scans", id);
    return known === null ? null : await ctx.db.get("scans", known);
  },
});
