import { v } from "convex/values";
import { query } from "./_generated/server";

export const isOver = query({
  args: { at: v.number(), now: v.number() },
  handler: async (_ctx, { at, now }) => at <= now,
});
