import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  ticks: defineTable({ n: v.number() }),
});
