// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const given = v.object({ title: v.string(), year: v.number() });
const forFinding = v.object({ inRegion: v.string(), lowerTitle: v.string() });

export default defineSchema({
  workshops: defineTable({ name: v.string(), region: v.string() }),
  panes: defineTable(
    v.object({ ...given.fields, workshop: v.id("workshops"), find: forFinding }),
  )
    .index("workshop", ["workshop"])
    .index("region", ["find.inRegion", "year"])
    .index("title", ["find.lowerTitle"]),
});
