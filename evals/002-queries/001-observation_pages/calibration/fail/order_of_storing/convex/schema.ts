import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  observations: defineTable({
    telescope: v.string(),
    takenAt: v.number(),
    target: v.string(),
    exposureS: v.number(),
    usable: v.boolean(),
    preview: v.optional(v.string()),
  }).index("by_telescope_and_usable", ["telescope", "usable"]),
});
