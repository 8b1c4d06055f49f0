// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const answer = {
  name: v.string(),
  formula: v.string(),
  hardness: v.number(),
  fetchedAt: v.number(),
};

export default defineSchema({
  facts: defineTable(answer).index("by_name_and_time", ["name", "fetchedAt"]),
});
