import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  events: defineTable({
    task: v.string(),
    house: v.string(),
    at: v.number(),
  }),
});
