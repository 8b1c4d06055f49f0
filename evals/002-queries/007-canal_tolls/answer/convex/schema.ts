// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  passages: defineTable({
    canal: v.string(),
    lock: v.string(),
    at: v.number(),
    kind: v.union(v.literal("cargo"), v.literal("passenger"), v.literal("pleasure")),
    toll: v.number(),
    tonnes: v.optional(v.number()),
    certificate: v.optional(v.string()),
  }).index("by_canal_and_at", ["canal", "at"]),
});
