// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  sheets: defineTable({
    series: v.string(),
    number: v.string(),
    west: v.number(),
    south: v.number(),
    east: v.number(),
    north: v.number(),
    withdrawn: v.boolean(),
    scan: v.optional(v.string()),
  }).index("by_series_and_withdrawn", ["series", "withdrawn"]),
});
