// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  fencers: defineTable({
    name: v.string(),
    rating: v.number(),
  }).index("by_rating", ["rating"]),
  bouts: defineTable({
    winner: v.id("fencers"),
    loser: v.id("fencers"),
    state: v.union(v.literal("reported"), v.literal("confirmed")),
    confirmation: v.optional(v.id("_scheduled_functions")),
  }).index("by_state", ["state"]),
});
