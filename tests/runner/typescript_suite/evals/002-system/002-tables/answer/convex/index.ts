import { v } from "convex/values";
import { mutation } from "./_generated/server";

export const fill = mutation({
  args: { count: v.number() },
  handler: async (ctx, { count }) => {
    for (let n = 0; n < count; n += 1) await ctx.db.insert("items", { n });
  },
});
