// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  boats: defineTable({
    name: v.string(),
    hull: v.object({
      material: v.string(),
      lengthCm: v.number(),
      colour: v.optional(v.string()),
    }),
    rack: v.optional(v.nullable(v.object({ bay: v.string(), tier: v.number() }))),
    gear: v.record(v.string(), v.number()),
    borrower: v.optional(v.nullable(v.string())),
    remark: v.optional(v.string()),
  }),
});
