// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  wagons: defineTable({
    railway: v.string(),
    number: v.string(),
    depot: v.optional(v.string()),
    arrivedAt: v.number(),
    photo: v.optional(v.string()),
  }).index("by_depot_and_arrivedAt", ["depot", "arrivedAt"]),
});
