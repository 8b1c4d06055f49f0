import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  aircraft: defineTable({
    mark: v.optional(v.string()),
    type: v.string(),
    serial: v.string(),
    drawing: v.optional(v.string()),
  }).index("by_mark", ["mark"]),
});
