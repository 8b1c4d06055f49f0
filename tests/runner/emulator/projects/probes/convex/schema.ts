import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  notes: defineTable({
    text: v.optional(v.string()),
    rank: v.optional(v.float64()),
    tag: v.optional(v.string()),
    room: v.optional(v.object({ name: v.optional(v.string()) })),
  })
    .index("by_rank", ["rank"])
    .index("by_tag_and_rank", ["tag", "rank"])
    .index("by_room", ["room.name"])
    .searchIndex("search_text", { searchField: "text", filterFields: ["tag", "room.name"] }),
  vectors: defineTable({
    vector: v.optional(v.array(v.float64())),
    tag: v.optional(v.string()),
    other: v.optional(v.string()),
  }).vectorIndex("by_vector", { vectorField: "vector", dimensions: 2, filterFields: ["tag"] }),
  things: defineTable(v.any()),
  mixed: defineTable({ value: v.optional(v.any()) }).index("by_value", ["value"]),
  strict: defineTable({ alpha: v.string(), zeta: v.union(v.null(), v.int64()) }),
});
