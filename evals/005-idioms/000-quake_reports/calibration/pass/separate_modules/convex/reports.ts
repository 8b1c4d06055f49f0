// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action, mutation, query } from "./_generated/server";

export const submit = mutation({
  args: { station: v.string(), magnitude: v.number() },
  returns: v.id("reports"),
  handler: async (ctx, { station, magnitude }) => {
    const id = await ctx.db.insert("reports", { station, magnitude, status: "pending" });
    await ctx.scheduler.runAfter(0, internal.verification.run, { id });
    return id;
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const newest = [];
    for await (const report of ctx.db.query("reports").order("desc")) {
      const { _creationTime, ...shown } = report;
      newest.push(shown);
      if (newest.length === 50) {
        break;
      }
    }
    return newest;
  },
});

export const recheck = action({
  args: { id: v.id("reports") },
  handler: async (ctx, { id }): Promise<string | null> => {
    return await ctx.runAction(internal.verification.run, { id });
  },
});
