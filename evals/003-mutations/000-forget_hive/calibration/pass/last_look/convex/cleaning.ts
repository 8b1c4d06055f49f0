// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";

export const sweep = internalMutation({
  args: { hive: v.id("hives") },
  handler: async (ctx, { hive }) => {
    let deleted = 0;
    for await (const sample of ctx.db
      .query("samples")
      .withIndex("by_hive_and_takenAt", (q) => q.eq("hive", hive))) {
      await ctx.db.delete("samples", sample._id);
      deleted += 1;
      if (deleted === 50) break;
    }
    if (deleted === 0) {
      await ctx.db.delete("hives", hive);
      return;
    }
    await ctx.scheduler.runAt(Date.now() + 1000, internal.cleaning.sweep, { hive });
  },
});
