import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  rows: defineTable({ from: v.string(), vector: v.optional(v.array(v.number())) }).vectorIndex(
    "by_vector",
    { vectorField: "vector", dimensions: 2 },
  ),
});
