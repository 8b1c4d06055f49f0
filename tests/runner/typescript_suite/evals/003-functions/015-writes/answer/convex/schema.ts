import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  docs: defineTable({ title: v.string(), note: v.optional(v.string()) }),
});
