import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  choirs: defineTable({ name: v.string() }),
  pieces: defineTable({
    choir: v.id("choirs"),
    title: v.string(),
    learned: v.boolean(),
    performed: v.boolean(),
  }).index("by_choir", ["choir"]),
});
