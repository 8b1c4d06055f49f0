// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const outcome = v.union(
  v.object({ state: v.literal("waiting") }),
  v.object({ state: v.literal("dated"), ageMa: v.number() }),
  v.object({ state: v.literal("failed"), reason: v.string() }),
  v.object({ state: v.literal("withdrawn") }),
);

export default defineSchema({
  datings: defineTable({
    sample: v.string(),
    grams: v.number(),
    outcome,
    asking: v.optional(v.id("_scheduled_functions")),
  }),
});
