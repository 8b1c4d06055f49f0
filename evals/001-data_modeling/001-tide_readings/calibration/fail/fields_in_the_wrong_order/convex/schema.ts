// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  stations: defineTable({
    name: v.string(),
  }),
  readings: defineTable({
    station: v.id("stations"),
    takenAt: v.number(),
    levelMm: v.number(),
    trace: v.optional(v.string()),
  }).index("by_takenAt_and_station", ["takenAt", "station"]),
});
