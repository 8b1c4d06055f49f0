// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
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
