import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  articles: defineTable({ body: v.string(), topic: v.string() }).searchIndex("search_body", {
    searchField: "body",
    filterFields: ["topic"],
  }),
});
