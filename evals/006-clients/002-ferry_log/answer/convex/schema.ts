// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const line = v.union(v.literal("north"), v.literal("south"));

export default defineSchema({
  crossings: defineTable({
    line,
    ship: v.string(),
    cars: v.number(),
  }).index("by_line", ["line"]),
});
