// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  broadcasts: defineTable({
    station: v.string(),
    title: v.string(),
    startsAt: v.number(),
    endsAt: v.number(),
  }).index("by_station_and_startsAt", ["station", "startsAt"]),
  reports: defineTable({
    station: v.string(),
    quality: v.number(),
    heardAt: v.number(),
  }).index("by_station_and_heardAt", ["station", "heardAt"]),
});
