// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  telegrams: defineTable({
    office: v.string(),
    addressee: v.string(),
    words: v.number(),
  }),
  counts: defineTable({
    office: v.string(),
    telegrams: v.number(),
    words: v.number(),
  }).index("by_office", ["office"]),
});
