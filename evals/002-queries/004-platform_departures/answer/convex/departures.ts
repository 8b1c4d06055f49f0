// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query } from "./_generated/server";

const DEFAULT_LIMIT = 20;
const MAXIMUM_LIMIT = 100;

export const board = query({
  args: {
    station: v.string(),
    day: v.string(),
    platform: v.optional(v.union(v.number(), v.null())),
    section: v.optional(v.union(v.string(), v.null())),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, { station, day, platform, section, limit }) => {
    if (platform === undefined && section !== undefined) {
      throw new ConvexError("section without platform");
    }
    return await ctx.db
      .query("departures")
      .withIndex("by_place_and_minute", (q) => {
        const today = q.eq("station", station).eq("day", day);
        if (platform === undefined) {
          return today;
        }
        // A field that a document does not have is undefined in the index.
        const there = today.eq("platform", platform ?? undefined);
        return section === undefined ? there : there.eq("section", section ?? undefined);
      })
      .take(Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT));
  },
});
