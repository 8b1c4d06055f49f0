// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, type MutationCtx } from "./_generated/server";

async function deleteSome(ctx: MutationCtx, hive: Id<"hives">) {
  const found = await ctx.db
    .query("samples")
    .withIndex("by_hive", (q) => q.eq("hive", hive))
    .take(51);
  await Promise.all(found.slice(0, 50).map((sample) => ctx.db.delete("samples", sample._id)));
  if (found.length > 50) {
    await ctx.scheduler.runAfter(1000, internal.hives.goOn, { hive });
  } else {
    await ctx.db.delete("hives", hive);
  }
}

export const forget = mutation({
  args: { hive: v.id("hives") },
  handler: async (ctx, args) => {
    const hive = await ctx.db.get("hives", args.hive);
    if (hive && !hive.forgetting) {
      await ctx.db.patch("hives", args.hive, { forgetting: true });
      await deleteSome(ctx, args.hive);
    }
    return null;
  },
});

export const goOn = internalMutation({
  args: { hive: v.id("hives") },
  handler: async (ctx, args) => {
    await deleteSome(ctx, args.hive);
    return null;
  },
});
