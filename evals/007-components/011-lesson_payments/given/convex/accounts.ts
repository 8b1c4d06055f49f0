// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery } from "./_generated/server";

export const find = internalQuery({
  args: { subject: v.string() },
  returns: v.nullable(v.id("users")),
  handler: async (ctx, { subject }) => {
    const user = await ctx.db
      .query("users")
      .withIndex("by_subject", (q) => q.eq("subject", subject))
      .unique();
    return user?._id ?? null;
  },
});
