// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  birds: defineTable({
    name: v.string(),
    owner: v.string(),
  }).index("by_owner", ["owner"]),
  flights: defineTable({
    bird: v.id("birds"),
    metres: v.number(),
  }).index("by_bird", ["bird"]),
});
