import { v } from "convex/values";
import { action } from "../_generated/server";

export const shout = action({
  args: { text: v.string() },
  returns: v.string(),
  handler: async (_ctx, { text }) => text.toUpperCase(),
});
