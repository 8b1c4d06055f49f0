// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  /** What each account has used on each day, for the quota of the day and the monthly report. */
  days: defineTable({
    account: v.string(),
    // Counted from 1 January 1970.
    day: v.number(),
    // Without what was given back.
    used: v.number(),
    // Whether the app was told on this day that little is left.
    isLowTold: v.optional(v.boolean()),
  }).index("by_account", ["account", "day"]),
});
