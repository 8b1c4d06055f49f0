import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  facts: defineTable({
    name: v.string(),
    formula: v.string(),
    hardness: v.number(),
    fetchedAt: v.number(),
  }).index("by_name", ["name"]),
});
