// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  costumes: defineTable({
    tag: v.string(),
    piece: v.string(),
    chestCm: v.number(),
    lining: v.optional(v.union(v.string(), v.null())),
    lentTo: v.union(v.string(), v.null()),
  }).index("by_tag", ["tag"]),
});
