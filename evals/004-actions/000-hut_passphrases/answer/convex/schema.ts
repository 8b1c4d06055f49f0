import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  credentials: defineTable({
    hut: v.string(),
    salt: v.string(),
    hash: v.string(),
  }).index("by_hut", ["hut"]),
});
