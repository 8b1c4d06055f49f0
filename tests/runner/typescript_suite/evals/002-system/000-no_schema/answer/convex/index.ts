import { v } from "convex/values";
import { mutation } from "./_generated/server";

export const add = mutation({
  args: { n: v.number() },
  handler: async (ctx, { n }) => {
    await ctx.db.insert("rows", { n });
  },
});
