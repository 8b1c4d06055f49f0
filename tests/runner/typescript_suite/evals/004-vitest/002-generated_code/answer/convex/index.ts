import { v } from "convex/values";
import { internalQuery, mutation } from "./_generated/server";

export const add = mutation({
  args: { n: v.number() },
  handler: (ctx, { n }) => ctx.db.insert("rows", { n }),
});

export const count = internalQuery({
  args: {},
  handler: async (ctx) => (await ctx.db.query("rows").take(100)).length,
});
