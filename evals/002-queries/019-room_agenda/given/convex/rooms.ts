// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const add = mutation({
  args: { name: v.string() },
  returns: v.id("rooms"),
  handler: async (ctx, { name }) => await ctx.db.insert("rooms", { name }),
});

export const list = query({
  args: {},
  handler: async (ctx) => await ctx.db.query("rooms").take(200),
});
