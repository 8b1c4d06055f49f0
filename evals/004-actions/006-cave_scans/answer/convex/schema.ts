import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  scans: defineTable({
    cave: v.string(),
    file: v.id("_storage"),
    contentType: v.string(),
  }),
});
