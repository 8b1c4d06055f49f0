// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  workshops: defineTable({ name: v.string(), region: v.string() }).index("by_region", ["region"]),
  panes: defineTable({
    workshop: v.id("workshops"),
    title: v.string(),
    year: v.number(),
    sortTitle: v.string(),
  })
    .index("by_workshop_and_year", ["workshop", "year"])
    .index("by_sort_title", ["sortTitle"]),
});
