// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
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
  }),
});
