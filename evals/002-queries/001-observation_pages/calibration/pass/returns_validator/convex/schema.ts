// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  observations: defineTable({
    telescope: v.string(),
    takenAt: v.number(),
    target: v.string(),
    exposureS: v.number(),
    usable: v.boolean(),
    preview: v.optional(v.string()),
  }).index("usable_log", ["usable", "telescope", "takenAt"]),
});
