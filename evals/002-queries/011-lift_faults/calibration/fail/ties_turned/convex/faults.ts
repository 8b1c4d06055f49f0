// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query } from "./_generated/server";

const DEFAULT_LIMIT = 20;
const MAXIMUM_LIMIT = 50;
const GRAVEST_FIRST = [5, 4, 3, 2, 1];

export const worklist = query({
  args: { district: v.string(), limit: v.optional(v.number()) },
  handler: async (ctx, { district, limit }) => {
    const most = bounded(limit);
    const faults: Doc<"faults">[] = [];
    // An index has one direction for all of its fields: each severity is a range of its own.
    for (const severity of GRAVEST_FIRST) {
      if (faults.length < most) {
        const next = await ctx.db
          .query("faults")
          .withIndex("by_district_and_severity", (q) =>
            q.eq("district", district).eq("severity", severity),
          )
          .take(most - faults.length);
        faults.push(...next);
      }
    }
    return faults;
  },
});

export const history = query({
  args: { lift: v.string(), limit: v.optional(v.number()) },
  handler: async (ctx, { lift, limit }) =>
    await ctx.db
      .query("faults")
      .withIndex("by_lift_and_reportedAt", (q) => q.eq("lift", lift))
      .order("desc")
      .take(bounded(limit))
      .then((faults) =>
        faults.sort((a, b) => b.reportedAt - a.reportedAt || a._creationTime - b._creationTime),
      ),
});

export const stuck = query({
  args: { district: v.string(), limit: v.optional(v.number()) },
  handler: async (ctx, { district, limit }) =>
    // A floor that is left out sorts before every number, so it comes last here.
    await ctx.db
      .query("faults")
      .withIndex("by_district_and_floor", (q) => q.eq("district", district))
      .order("desc")
      .take(bounded(limit)),
});

function bounded(limit: number | undefined): number {
  return Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT);
}
