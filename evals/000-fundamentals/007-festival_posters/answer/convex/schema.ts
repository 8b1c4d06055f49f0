import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  posters: defineTable({
    festival: v.string(),
    file: v.id("_storage"),
  })
    .index("by_festival", ["festival"])
    .index("by_file", ["file"]),
});
