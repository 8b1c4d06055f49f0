import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  authors: defineTable({ name: v.string() }),
  books: defineTable({ author: v.id("authors"), title: v.string() }).index("by_author", ["author"]),
});
