import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const upload = mutation({ args: {}, handler: (ctx) => ctx.storage.generateUploadUrl() });

export const url = query({
  args: { id: v.id("_storage") },
  handler: (ctx, { id }) => ctx.storage.getUrl(id),
});

export const info = query({
  args: { id: v.id("_storage") },
  handler: async (ctx, { id }) => {
    const file = await ctx.db.system.get(id);
    return file && [file.size, file.contentType ?? null];
  },
});

export const remove = mutation({
  args: { id: v.id("_storage") },
  handler: async (ctx, { id }) => {
    await ctx.storage.delete(id);
  },
});
