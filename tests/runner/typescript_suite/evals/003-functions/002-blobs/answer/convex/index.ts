import { v } from "convex/values";
import { action } from "./_generated/server";

export const write = action({
  args: { text: v.string() },
  handler: (ctx, { text }) => ctx.storage.store(new Blob([text], { type: "text/plain" })),
});

export const read = action({
  args: { id: v.id("_storage") },
  handler: async (ctx, { id }) => {
    const file = await ctx.storage.get(id);
    return file && (await file.text());
  },
});
