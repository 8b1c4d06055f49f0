// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";

const DEFAULT_LIMIT = 20;
const MAXIMUM_LIMIT = 50;

export const worklist = query({
  args: { district: v.string(), limit: v.optional(v.number()) },
  handler: async (ctx, { district, limit }) => {
    const faults = await ctx.db
      .query("faults")
      .withIndex("by_district_and_severity", (q) => q.eq("district", district))
      .order("desc")
      .take(bounded(limit));
    faults.sort(
      (a, b) =>
        b.severity - a.severity ||
        a.reportedAt - b.reportedAt ||
        (a.lift < b.lift ? -1 : a.lift > b.lift ? 1 : a._creationTime - b._creationTime),
    );
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
      .take(bounded(limit)),
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
