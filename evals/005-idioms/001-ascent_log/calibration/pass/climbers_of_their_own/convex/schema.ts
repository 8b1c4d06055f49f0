// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  climbers: defineTable({
    issuer: v.string(),
    subject: v.string(),
  }).index("by_identity", ["issuer", "subject"]),
  ascents: defineTable({
    climber: v.id("climbers"),
    route: v.string(),
    grade: v.string(),
    note: v.optional(v.string()),
  }).index("by_climber", ["climber"]),
});
