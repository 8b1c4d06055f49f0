// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  deeds: defineTable({
    title: v.string(),
    shelfmark: v.string(),
    scan: v.optional(v.id("_storage")),
    order: v.optional(v.union(v.literal("waiting"), v.literal("failed"))),
  }).index("by_scan", ["scan"]),
});
