import { actionGeneric, internalMutationGeneric, queryGeneric } from "convex/server";
import { v } from "convex/values";

export const count = queryGeneric({
  args: {},
  handler: async (ctx) => (await ctx.db.query("marks").collect()).length,
});

export const make = internalMutationGeneric({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("marks", { text });
  },
});

export const upper = actionGeneric({
  args: { text: v.string() },
  handler: async (_ctx, { text }) => text.toUpperCase(),
});
