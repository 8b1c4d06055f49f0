// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  rings: defineTable({
    observer: v.string(),
    alarm: v.string(),
  }),
  alarms: defineTable({
    observer: v.string(),
    alarm: v.string(),
    minutes: v.number(),
    cron: v.string(),
  }).index("by_observer_and_alarm", ["observer", "alarm"]),
});
