// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  houses: defineTable({ name: v.string() }),
  perfumers: defineTable({ name: v.string() }),
  perfumes: defineTable({
    name: v.string(),
    house: v.id("houses"),
    perfumer: v.union(v.id("perfumers"), v.null()),
  })

    .index("by_house_and_name", ["house", "name"])
    .index("by_perfumer", ["perfumer"]),
});
