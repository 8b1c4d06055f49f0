// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";

export const record = mutation({
  args: {
    station: v.id("stations"),
    takenAt: v.number(),
    levelMm: v.number(),
    trace: v.optional(v.string()),
  },
  handler: async (ctx, args) => {
    return await ctx.db.insert("readings", args);
  },
});

export const between = query({
  args: { station: v.id("stations"), from: v.number(), to: v.number() },
  handler: async (ctx, { station, from, to }) => {
    return await ctx.db
      .query("readings")
      .withIndex("by_station_and_takenAt", (q) =>
        q.eq("station", station).gte("takenAt", from).lte("takenAt", to),
      )
      .collect();
  },
});

export const latest = query({
  args: { station: v.id("stations") },
  handler: async (ctx, { station }) => {
    return await ctx.db
      .query("readings")
      .withIndex("by_station_and_takenAt", (q) => q.eq("station", station))
      .order("desc")
      .first();
  },
});
