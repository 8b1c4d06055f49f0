// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  lessons: defineTable({
    title: v.string(),
    places: v.number(),
    taken: v.number(),
  }),
  bookings: defineTable({
    lesson: v.id("lessons"),
    child: v.string(),
  }).index("by_child", ["child", "lesson"]),
});
