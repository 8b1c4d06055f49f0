import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  reports: defineTable({
    title: v.string(),
    file: v.id("_storage"),
    characters: v.number(),
  }),
});
