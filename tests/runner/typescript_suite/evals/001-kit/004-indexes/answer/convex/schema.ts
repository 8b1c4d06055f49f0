import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  logs: defineTable({ level: v.string(), at: v.number() })
    .index("by_level", ["level"])
    .index("by_at", { fields: ["at"], staged: true }),
});
