// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";

const BATCH = 50;

export const forget = mutation({
  args: { hive: v.id("hives") },
  handler: async (ctx, { hive }) => {
    const document = await ctx.db.get("hives", hive);
    if (document === null || document.forgetting) {
      return null;
    }
    await ctx.db.patch("hives", hive, { forgetting: true });
    const samples = await ctx.db
      .query("samples")
      .withIndex("by_hive", (q) => q.eq("hive", hive))
      .collect();
    const ids = samples.map((sample) => sample._id);
    const batches = Math.max(1, Math.ceil(ids.length / BATCH));
    for (let n = 0; n < batches; n++) {
      await ctx.scheduler.runAfter(n * 1000, internal.hives.deleteBatch, {
        hive,
        samples: ids.slice(n * BATCH, (n + 1) * BATCH),
        last: n === batches - 1,
      });
    }
    return null;
  },
});

export const deleteBatch = internalMutation({
  args: { hive: v.id("hives"), samples: v.array(v.id("samples")), last: v.boolean() },
  handler: async (ctx, { hive, samples, last }) => {
    for (const sample of samples) {
      await ctx.db.delete("samples", sample);
    }
    if (last) {
      await ctx.db.delete("hives", hive);
    }
    return null;
  },
});
