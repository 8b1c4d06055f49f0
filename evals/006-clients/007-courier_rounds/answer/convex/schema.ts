// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  couriers: defineTable({ name: v.string() }),
  parcels: defineTable({
    address: v.string(),
    courier: v.optional(v.id("couriers")),
  }).index("by_courier", ["courier"]),
});
