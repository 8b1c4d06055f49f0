import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  accounts: defineTable({ name: v.string(), money: v.number() }).index("by_name", ["name"]),
});
