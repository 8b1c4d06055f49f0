import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

export const store = internalMutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("parts", { text });
  },
});
