// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  cellars: defineTable({
    name: v.string(),
    crates: v.number(),
    capacity: v.number(),
  }),
  moves: defineTable({
    key: v.string(),
    from: v.id("cellars"),
    to: v.id("cellars"),
    crates: v.number(),
    fromLeft: v.number(),
    toHas: v.number(),
  }).index("by_key", ["key"]),
});
