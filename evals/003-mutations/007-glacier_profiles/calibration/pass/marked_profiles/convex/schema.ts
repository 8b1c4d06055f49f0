// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  stations: defineTable({
    name: v.string(),
    correcting: v.boolean(),
    corrections: v.optional(v.number()),
  }),
  profiles: defineTable({
    station: v.id("stations"),
    correction: v.optional(v.number()),
  })
    .index("by_station", ["station"])
    .index("by_station_and_correction", ["station", "correction"]),
  readings: defineTable({
    profile: v.id("profiles"),
    depthMm: v.number(),
  }).index("by_profile", ["profile"]),
});
