import { v } from "convex/values";
import { query } from "./_generated/server";

export const parse = query({
  args: { text: v.string() },
  returns: v.number(),
  handler: async (_ctx, { text }) => JSON.parse(text) as number,
});
