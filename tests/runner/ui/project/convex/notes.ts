import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const list = query({
  args: { box: v.string() },
  handler: async (ctx, { box }) =>
    await ctx.db.query("notes").withIndex("by_box", (q) => q.eq("box", box)).collect(),
});

export const add = mutation({
  args: { box: v.string(), body: v.string() },
  handler: async (ctx, args) => {
    if (args.body === "") throw new ConvexError("Say something.");
    await ctx.db.insert("notes", args);
  },
});

export const remove = mutation({
  args: { id: v.id("notes") },
  handler: async (ctx, { id }) => await ctx.db.delete(id),
});

export const uploadUrl = mutation({
  args: {},
  handler: async (ctx) => await ctx.storage.generateUploadUrl(),
});
