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
    // Kalendo's `nextSync` of the last complete sync.
    since: v.optional(v.string()),
    // The sync under way. Its parts carry the key, so that a lost one writes nothing any more.
    run: v.optional(
      v.object({ key: v.string(), startedAt: v.number(), heardAt: v.number(), isFull: v.boolean() }),
    ),
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
    version: v.optional(v.number()),
    // The newest change by the user that Kalendo has not confirmed, and since when it is told so.
    edit: v.optional(v.string()),
    pushedAt: v.optional(v.number()),
    // The last full sync that found the event, and the last time a sync placed it in its calendar.
    seenBy: v.optional(v.string()),
    placedAt: v.optional(v.number()),
  })
    .index("by_calendar_and_start", ["calendar", "start"])
    .index("by_calendar_and_edit", ["calendar", "edit"])
    .index("by_owner_and_start", ["owner", "start"])
    .index("by_owner_and_remote", ["owner", "remote"]),

  // Events of Kalendo that users have removed here.
  removals: defineTable({
    owner: v.string(),
    calendar: v.id("calendars"),
    remote: v.string(),
    isConfirmed: v.boolean(),
  })
    .index("by_owner_and_remote", ["owner", "remote"])
    .index("by_calendar_and_confirmed", ["calendar", "isConfirmed"]),

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
