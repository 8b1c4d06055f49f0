// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";

/** What was changed of a series, for the page of the series. */
export const list = query({
  args: { series: v.id("series") },
  handler: async (ctx, { series }) => {
    const changes = await ctx.db
      .query("changes")
      .withIndex("by_series", (q) => q.eq("series", series))
      .collect();
    return changes.map(({ day, start, minutes }) => ({ day, start, minutes }));
  },
});
