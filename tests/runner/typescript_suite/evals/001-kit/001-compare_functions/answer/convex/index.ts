import { v } from "convex/values";
import { internalMutation, query } from "./_generated/server";

export const double = query({
  args: { value: v.number() },
  returns: v.number(),
  handler: async (_ctx, { value }) => value * 2,
});

export const clear = internalMutation({
  args: {},
  returns: v.null(),
  handler: async () => null,
});
