// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalAction, internalMutation, mutation } from "./_generated/server";

export const forget = mutation({
  args: { hive: v.id("hives") },
  handler: async (ctx, { hive }) => {
    const document = await ctx.db.get("hives", hive);
    if (document === null || document.forgetting) {
      return null;
    }
    await ctx.db.patch("hives", hive, { forgetting: true });
    await ctx.scheduler.runAfter(0, internal.hives.deleteAll, { hive });
    return null;
  },
});

export const deleteAll = internalAction({
  args: { hive: v.id("hives") },
  handler: async (ctx, { hive }) => {
    let more = true;
    while (more) {
      more = await ctx.runMutation(internal.hives.deleteBatch, { hive });
    }
    return null;
  },
});

export const deleteBatch = internalMutation({
  args: { hive: v.id("hives") },
  returns: v.boolean(),
  handler: async (ctx, { hive }): Promise<boolean> => {
    const batch = await ctx.db
      .query("samples")
      .withIndex("by_hive", (q) => q.eq("hive", hive))
      .take(50);
    for (const sample of batch) {
      await ctx.db.delete("samples", sample._id);
    }
    if (batch.length === 50) {
      return true;
    }
    await ctx.db.delete("hives", hive);
    return false;
  },
});
