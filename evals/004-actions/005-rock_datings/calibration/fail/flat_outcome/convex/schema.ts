// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const outcome = v.object({
  state: v.union(
    v.literal("waiting"),
    v.literal("dated"),
    v.literal("failed"),
    v.literal("withdrawn"),
  ),
  ageMa: v.optional(v.number()),
  reason: v.optional(v.string()),
});

export default defineSchema({
  datings: defineTable({
    sample: v.string(),
    grams: v.number(),
    outcome,
    asking: v.optional(v.id("_scheduled_functions")),
  }),
});
