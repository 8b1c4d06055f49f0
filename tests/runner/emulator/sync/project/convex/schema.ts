import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  notes: defineTable({ box: v.string(), body: v.string() }).index("by_box", ["box"]),
});
