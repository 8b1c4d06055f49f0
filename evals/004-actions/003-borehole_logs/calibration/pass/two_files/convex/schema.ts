// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  intervals: defineTable({
    hole: v.string(),
    fromM: v.float64(),
    toM: v.float64(),
    rock: v.string(),
  }).index("by_hole", ["hole"]),
});
