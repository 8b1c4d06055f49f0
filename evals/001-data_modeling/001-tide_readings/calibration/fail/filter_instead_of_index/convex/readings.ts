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
    const readings = await ctx.db.query("readings").collect();
    return readings
      .filter((r) => r.station === station && r.takenAt >= from && r.takenAt < to)
      .sort((a, b) => a.takenAt - b.takenAt);
  },
});

export const latest = query({
  args: { station: v.id("stations") },
  handler: async (ctx, { station }) => {
    const readings = await ctx.db.query("readings").collect();
    const own = readings.filter((r) => r.station === station);
    own.sort((a, b) => b.takenAt - a.takenAt);
    return own[0] ?? null;
  },
});
