// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  hives: defineTable({
    name: v.string(),
    forgetting: v.boolean(),
  }),
  samples: defineTable({
    hive: v.id("hives"),
    takenAt: v.number(),
    weightG: v.number(),
    spectrum: v.optional(v.string()),
  }).index("by_hive_and_takenAt", ["hive", "takenAt"]),
});
