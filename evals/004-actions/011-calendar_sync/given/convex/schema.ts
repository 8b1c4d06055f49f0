// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

// All moments are milliseconds since the epoch.
export default defineSchema({
  calendars: defineTable({
    // The subject of the user.
    owner: v.string(),
    name: v.string(),
    // The id of the calendar at Kalendo; calendars without one exist only here.
    remote: v.optional(v.string()),
    syncedAt: v.optional(v.number()),
  })
    .index("by_owner", ["owner"])
    .index("by_owner_and_remote", ["owner", "remote"]),

  events: defineTable({
    owner: v.string(),
    calendar: v.id("calendars"),
    // The id of the event at Kalendo. Two users may have connected the same calendar there.
    remote: v.optional(v.string()),
    title: v.string(),
    start: v.number(),
    end: v.number(),
  })
    .index("by_calendar_and_start", ["calendar", "start"])
    .index("by_owner_and_start", ["owner", "start"])
    .index("by_owner_and_remote", ["owner", "remote"]),

  notes: defineTable({
    event: v.id("events"),
    text: v.string(),
  }).index("by_event", ["event"]),

  reminders: defineTable({
    event: v.id("events"),
    owner: v.string(),
    at: v.number(),
    sent: v.boolean(),
  })
    .index("by_event", ["event"])
    .index("by_sent_and_at", ["sent", "at"]),

  // The minutes that the events of a user's day take, for the year's overview.
  busy: defineTable({
    owner: v.string(),
    // UTC, such as "2026-03-31".
    day: v.string(),
    minutes: v.number(),
  }).index("by_owner_and_day", ["owner", "day"]),

  messages: defineTable({ to: v.string(), text: v.string() }).index("by_to", ["to"]),
});
