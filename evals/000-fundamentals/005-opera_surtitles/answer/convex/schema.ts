import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  lines: defineTable({
    opera: v.string(),
    number: v.number(),
    text: v.string(),
  }).index("by_opera_and_number", ["opera", "number"]),

  surtitles: defineTable({
    opera: v.string(),
    language: v.string(),
    number: v.number(),
    text: v.string(),
  }).index("by_opera_and_language_and_number", ["opera", "language", "number"]),
});
