import { v } from "convex/values";
import { mutation } from "./_generated/server";

export const rename = mutation({
  args: { id: v.id("docs"), title: v.string() },
  handler: async (ctx, { id, title }) => {
    await ctx.db.patch(id, { title });
  },
});

export const clear = mutation({
  args: { id: v.id("docs") },
  handler: async (ctx, { id }) => {
    await ctx.db.patch(id, { note: undefined });
  },
});

export const reset = mutation({
  args: { id: v.id("docs"), title: v.string() },
  handler: async (ctx, { id, title }) => {
    await ctx.db.replace(id, { title });
  },
});

export const remove = mutation({
  args: { id: v.id("docs") },
  handler: async (ctx, { id }) => {
    await ctx.db.delete(id);
  },
});
