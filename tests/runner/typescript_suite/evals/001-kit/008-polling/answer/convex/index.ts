import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";

export const start = mutation({
  args: {},
  handler: async (ctx) => {
    const id = await ctx.db.insert("jobs", { done: false });
    await ctx.scheduler.runAfter(50, internal.index.complete, { id });
    return id;
  },
});

export const complete = internalMutation({
  args: { id: v.id("jobs") },
  handler: async (ctx, { id }) => {
    await ctx.db.patch(id, { done: true });
  },
});

export const isDone = query({
  args: { id: v.id("jobs") },
  handler: async (ctx, { id }) => (await ctx.db.get(id))?.done ?? false,
});
