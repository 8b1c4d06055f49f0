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
