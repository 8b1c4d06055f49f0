import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  rooms: defineTable({
    code: v.string(),
    open: v.boolean(),
    title: v.string(),
    visits: v.float64(),
  }),
});
