import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  readings: defineTable({ sensor: v.string(), at: v.number() }).index("by_sensor", ["sensor", "at"]),
});
