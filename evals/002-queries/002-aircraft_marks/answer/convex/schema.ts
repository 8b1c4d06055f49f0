// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  aircraft: defineTable({
    mark: v.optional(v.string()),
    type: v.string(),
    serial: v.string(),
    drawing: v.optional(v.string()),
  }).index("by_mark", ["mark"]),
});
