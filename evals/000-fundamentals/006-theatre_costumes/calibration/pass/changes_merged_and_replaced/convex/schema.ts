import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  costumes: defineTable(
    v.object({
      tag: v.string(),
      piece: v.string(),
      chestCm: v.number(),
      lining: v.optional(v.string()),
      lentTo: v.nullable(v.string()),
    }),
  ).index("tag", ["tag"]),
});
