// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { api } from "./_generated/api";
import { action, mutation } from "./_generated/server";

export const record = mutation({
  args: { task: v.string(), house: v.string() },
  handler: async (ctx, args) => {
    await ctx.db.insert("events", { ...args, at: Date.now() });
    return null;
  },
});

export const survey = action({
  args: { house: v.string() },
  handler: async (ctx, args): Promise<null> => {
    await ctx.runMutation(api.greenhouse.record, { task: "survey", house: args.house });
    return null;
  },
});
