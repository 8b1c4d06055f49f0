import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({ marks: defineTable({ text: v.string(), at: v.number() }) });
