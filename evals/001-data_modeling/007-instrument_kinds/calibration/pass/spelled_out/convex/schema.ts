// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  instruments: defineTable(
    v.union(
      v.object({
        inventory: v.string(),
        acquired: v.number(),
        kind: v.literal("string"),
        strings: v.number(),
        tuning: v.array(v.string()),
      }),
      v.object({
        inventory: v.string(),
        acquired: v.number(),
        kind: v.literal("wind"),
        bore: v.union(v.literal("conical"), v.literal("cylindrical")),
        reed: v.union(v.null(), v.literal("single"), v.literal("double")),
      }),
      v.object({
        inventory: v.string(),
        acquired: v.number(),
        kind: v.literal("percussion"),
        pitched: v.boolean(),
        head: v.optional(v.string()),
      }),
    ),
  )
    .index("by_kind_and_strings", ["kind", "strings"])
    .index("by_kind_and_acquired", ["kind", "acquired"]),
});
