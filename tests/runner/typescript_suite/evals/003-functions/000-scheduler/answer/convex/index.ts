import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";

export const send = mutation({
  args: { text: v.string(), delayMs: v.number() },
  handler: (ctx, { text, delayMs }): Promise<Id<"_scheduled_functions">> =>
    ctx.scheduler.runAfter(delayMs, internal.index.store, { text }),
});

export const store = internalMutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("letters", { text });
  },
});

export const cancel = mutation({
  args: { id: v.id("_scheduled_functions") },
  handler: (ctx, { id }) => ctx.scheduler.cancel(id),
});

export const state = query({
  args: { id: v.id("_scheduled_functions") },
  handler: async (ctx, { id }) => (await ctx.db.system.get(id))?.state.kind ?? null,
});

export const list = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("letters").take(100)).map(({ text }) => text),
});
