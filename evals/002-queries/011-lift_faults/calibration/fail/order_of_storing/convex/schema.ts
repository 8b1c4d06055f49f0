// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  faults: defineTable({
    district: v.string(),
    lift: v.string(),
    severity: v.number(),
    reportedAt: v.number(),
    floor: v.optional(v.number()),
  })
    .index("by_district_and_severity", ["district", "severity", "reportedAt", "lift"])
    .index("by_lift_and_reportedAt", ["lift"])
    .index("by_district_and_floor", ["district", "floor", "reportedAt"]),
});
