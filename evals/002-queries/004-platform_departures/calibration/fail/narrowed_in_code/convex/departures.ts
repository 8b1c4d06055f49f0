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
      .withIndex("by_place_and_minute", (q) => q.eq("station", station).eq("day", day))
      .filter((q) =>
        q.and(
          platform === undefined ? true : q.eq(q.field("platform"), platform ?? undefined),
          section === undefined ? true : q.eq(q.field("section"), section ?? undefined),
        ),
      )
      .take(Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT));
  },
});
