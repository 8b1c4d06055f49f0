import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  users: defineTable({ name: v.string(), email: v.optional(v.string()) }).index("by_email", [
    "email",
  ]),
  posts: defineTable({ author: v.id("users"), tags: v.array(v.string()) }),
});
