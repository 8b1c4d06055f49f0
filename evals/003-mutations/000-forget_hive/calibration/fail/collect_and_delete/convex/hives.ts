// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";

export const forget = mutation({
  args: { hive: v.id("hives") },
  handler: async (ctx, { hive }) => {
    if ((await ctx.db.get("hives", hive)) === null) {
      return null;
    }
    const samples = await ctx.db
      .query("samples")
      .withIndex("by_hive", (q) => q.eq("hive", hive))
      .collect();
    for (const sample of samples) {
      await ctx.db.delete("samples", sample._id);
    }
    await ctx.db.delete("hives", hive);
    return null;
  },
});
