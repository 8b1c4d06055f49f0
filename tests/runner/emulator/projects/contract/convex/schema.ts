import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  notes: defineTable({
    text: v.string(),
    rank: v.number(),
    marks: v.optional(v.record(v.string(), v.number())),
  })
    .index("by_rank", ["rank"])
    .searchIndex("by_text", { searchField: "text", filterFields: ["rank"] }),
  samples: defineTable({ vector: v.array(v.float64()) }).vectorIndex("by_vector", {
    vectorField: "vector",
    dimensions: 2,
  }),
  anything: defineTable(v.any()),
});
