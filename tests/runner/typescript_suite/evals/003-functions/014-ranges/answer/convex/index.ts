import { v } from "convex/values";
import { query } from "./_generated/server";

export const between = query({
  args: { sensor: v.string(), from: v.number(), to: v.number() },
  handler: async (ctx, { sensor, from, to }) => {
    const readings = await ctx.db
      .query("readings")
      .withIndex("by_sensor", (q) => q.eq("sensor", sensor).gte("at", from).lt("at", to))
      .order("desc")
      .take(100);
    return readings.map(({ at }) => at);
  },
});
