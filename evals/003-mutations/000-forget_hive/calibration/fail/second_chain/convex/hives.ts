// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";

const BATCH = 50;
const PAUSE_MS = 1000;

export const forget = mutation({
  args: { hive: v.id("hives") },
  returns: v.null(),
  handler: async (ctx, { hive }) => {
    const document = await ctx.db.get("hives", hive);
    if (document === null) {
      return null;
    }
    await ctx.db.patch("hives", hive, { forgetting: true });
    await ctx.scheduler.runAfter(0, internal.hives.deleteBatch, { hive });
    return null;
  },
});

export const deleteBatch = internalMutation({
  args: { hive: v.id("hives") },
  returns: v.null(),
  handler: async (ctx, { hive }) => {
    const batch = await ctx.db
      .query("samples")
      .withIndex("by_hive", (q) => q.eq("hive", hive))
      .take(BATCH);
    for (const sample of batch) {
      await ctx.db.delete("samples", sample._id);
    }
    if (batch.length < BATCH) {
      await ctx.db.delete("hives", hive);
    } else {
      await ctx.scheduler.runAfter(PAUSE_MS, internal.hives.deleteBatch, { hive });
    }
    return null;
  },
});
