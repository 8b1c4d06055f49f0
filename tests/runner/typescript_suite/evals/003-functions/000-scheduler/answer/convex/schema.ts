import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  letters: defineTable({ text: v.string() }),
});
