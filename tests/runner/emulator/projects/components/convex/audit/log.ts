import { v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const write = mutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("lines", { text });
  },
});

export const list = query({
  args: {},
  handler: async (ctx): Promise<string[]> => {
    const lines = await ctx.db.query("lines").collect();
    return lines.map((line) => line.text as string);
  },
});
