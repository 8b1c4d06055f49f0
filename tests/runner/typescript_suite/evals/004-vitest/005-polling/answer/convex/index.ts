import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";

export const start = mutation({
  args: {},
  handler: async (ctx) => {
    await ctx.scheduler.runAfter(0, internal.index.tick, { n: 3 });
  },
});

export const tick = internalMutation({
  args: { n: v.number() },
  handler: async (ctx, { n }) => {
    await ctx.db.insert("ticks", { n });
    if (n > 1) await ctx.scheduler.runAfter(0, internal.index.tick, { n: n - 1 });
  },
});

export const count = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("ticks").take(100)).length,
});
