import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
export default defineSchema({ counters: defineTable({ owner: v.string(), n: v.number() }) });
