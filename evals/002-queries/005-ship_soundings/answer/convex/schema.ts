// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  soundings: defineTable({
    ship: v.string(),
    at: v.number(),
    pressureHpa: v.number(),
    chart: v.optional(v.string()),
  }).index("by_ship_and_at", ["ship", "at"]),
});
