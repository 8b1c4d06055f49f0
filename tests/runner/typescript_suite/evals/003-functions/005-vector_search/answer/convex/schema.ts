import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  points: defineTable({ name: v.string(), at: v.optional(v.array(v.number())) }).vectorIndex("by_at", {
    vectorField: "at",
    dimensions: 2,
  }),
});
