// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { mutation } from "./_generated/server";

export const forget = mutation({
  args: { hive: v.id("hives") },
  handler: async (ctx, args) => {
    const hive = await ctx.db.get("hives", args.hive);
    if (hive === null) return null;
    if (hive.forgetting) return null;
    await ctx.db.replace("hives", hive._id, { name: hive.name, forgetting: true });
    await ctx.scheduler.runAfter(0, internal.cleaning.sweep, { hive: hive._id });
    return null;
  },
});
