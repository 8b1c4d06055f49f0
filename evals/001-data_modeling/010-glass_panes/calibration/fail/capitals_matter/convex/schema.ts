// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  workshops: defineTable({ name: v.string(), region: v.string() }),
  panes: defineTable({
    workshop: v.id("workshops"),
    title: v.string(),
    year: v.number(),
    // Copies, only for the indexes: the workshop's region, and the title in small letters.
    region: v.string(),
  })
    .index("by_workshop", ["workshop"])
    .index("by_region_and_year", ["region", "year"])
    .index("by_title", ["title"]),
});
