// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  puppets: defineTable({
    number: v.string(),
    kind: v.union(
      v.literal("marionette"),
      v.literal("glove"),
      v.literal("rod"),
      v.literal("shadow"),
    ),
    strings: v.optional(v.union(v.number(), v.null())),
    carver: v.union(v.string(), v.null()),
  })
    .index("by_number", ["number"])
    .index("by_kind_and_number", ["kind", "number"]),

  repairs: defineTable({
    puppet: v.id("puppets"),
    day: v.string(),
    parts: v.array(v.string()),
    costCents: v.number(),
  }).index("by_puppet_and_day", ["puppet", "day"]),
});
