// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const fault = {
  district: v.string(),
  lift: v.string(),
  severity: v.union(v.literal(1), v.literal(2), v.literal(3), v.literal(4), v.literal(5)),
  reportedAt: v.number(),
  floor: v.optional(v.number()),
};

export default defineSchema({
  faults: defineTable(fault)
    .index("work", ["severity", "district", "reportedAt", "lift"])
    .index("lift", ["lift", "reportedAt"])
    .index("floor", ["district", "floor", "reportedAt"]),
});
