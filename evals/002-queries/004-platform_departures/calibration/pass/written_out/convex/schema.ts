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
