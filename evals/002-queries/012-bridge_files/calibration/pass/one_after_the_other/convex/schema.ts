// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  bridges: defineTable({ name: v.string(), engineer: v.optional(v.id("engineers")) }),
  engineers: defineTable({ name: v.string(), phone: v.string() }),
  inspections: defineTable({
    bridge: v.id("bridges"),
    at: v.number(),
    grade: v.number(),
  }).index("latest", ["bridge", "at", "grade"]),
});
