import { v } from "convex/values";
import { query } from "./_generated/server";

export const add = query({
  args: { left: v.number(), right: v.number() },
  handler: async (_ctx, { left, right }) => left + right,
});
