// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const stage = v.union(
  v.literal("washing"),
  v.literal("waiting"),
  v.literal("coating"),
  v.literal("cooling"),
  v.literal("ready"),
  v.literal("failed"),
);

export default defineSchema({
  mirrors: defineTable({
    name: v.string(),
    stage,
    approvedBy: v.optional(v.string()),
    nanometres: v.optional(v.number()),
    workflow: v.optional(v.string()),
  }),
});
