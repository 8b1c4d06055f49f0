// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  departures: defineTable({
    station: v.string(),
    day: v.string(),
    platform: v.optional(v.number()),
    section: v.optional(v.string()),
    minute: v.number(),
    train: v.string(),
    composition: v.optional(v.string()),
  }).index("day_first", ["day", "station", "platform", "section", "minute", "train"]),
});
