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
