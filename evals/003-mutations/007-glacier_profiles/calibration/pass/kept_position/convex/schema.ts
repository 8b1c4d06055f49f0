// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  stations: defineTable({ name: v.string(), correcting: v.boolean() }),
  profiles: defineTable({ station: v.id("stations") }).index("by_station", ["station"]),
  readings: defineTable({
    profile: v.id("profiles"),
    depthMm: v.number(),
  }).index("by_profile", ["profile", "depthMm"]),
  jobs: defineTable({
    station: v.id("stations"),
    byMm: v.number(),
    after: v.number(),
    until: v.number(),
  }),
});
