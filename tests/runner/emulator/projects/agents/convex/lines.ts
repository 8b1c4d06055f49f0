import { v } from "convex/values";

import { internalMutation, query } from "./_generated/server";

export const list = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("lines").collect()).map(({ text }) => text),
});

export const write = internalMutation({
  args: { text: v.string() },
  returns: v.number(),
  handler: async (ctx, { text }) => {
    await ctx.db.insert("lines", { text });
    return (await ctx.db.query("lines").collect()).filter((line) => line.text === text).length;
  },
});
