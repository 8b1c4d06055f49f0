// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const description = v.object({
  title: v.string(),
  estimate: v.optional(v.object({ low: v.number(), high: v.number() })),
  reserve: v.optional(v.number()),
  provenance: v.optional(v.array(v.string())),
});

export default defineSchema({
  lots: defineTable(
    description.extend({
      sale: v.string(),
      number: v.number(),
      withdrawn: v.boolean(),
      revision: v.number(),
    }),
  ),
});
