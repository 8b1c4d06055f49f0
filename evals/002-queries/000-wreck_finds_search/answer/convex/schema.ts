import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  finds: defineTable({
    description: v.string(),
    wreck: v.string(),
    material: v.string(),
    onLoan: v.boolean(),
  }).searchIndex("search_description", {
    searchField: "description",
    filterFields: ["wreck", "material", "onLoan"],
  }),
});
