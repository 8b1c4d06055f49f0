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
