import { v } from "convex/values";
import { internalQuery, query } from "./_generated/server";

export const echo = query({
  args: { text: v.string() },
  handler: async (_ctx, { text }) => text,
});

export const helper = internalQuery({ args: {}, handler: async () => 1 });
