import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  repairs: defineTable({
    item: v.string(),
    fault: v.string(),
    done: v.boolean(),
  }).index("by_done", ["done"]),
});
