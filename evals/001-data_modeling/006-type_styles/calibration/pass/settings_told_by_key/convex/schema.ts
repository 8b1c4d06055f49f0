// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";


export default defineSchema({
  styles: defineTable({
    name: v.string(),
    base: v.nullable(v.id("styles")),
    tracking: v.optional(v.nullable(v.number())),
    figures: v.optional(v.nullable(v.union(v.literal("lining"), v.literal("oldstyle")))),
    caps: v.optional(v.union(v.literal("small"), v.literal("all"))),
  }).index("variants", ["base", "figures"]),
});
