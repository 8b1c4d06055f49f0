// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const readingFields = {
  station: v.id("stations"),
  takenAt: v.number(),
  levelMm: v.number(),
  trace: v.optional(v.string()),
};

export default defineSchema({
  stations: defineTable({ name: v.string() }).index("by_name", ["name"]),
  readings: defineTable(readingFields).index("by_station_time_level", [
    "station",
    "takenAt",
    "levelMm",
  ]),
});
