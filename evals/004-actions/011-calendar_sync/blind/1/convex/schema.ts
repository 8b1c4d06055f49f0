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
    // Kalendo's name for the moment up to which the last complete sync has read.
    since: v.optional(v.string()),
    // The number of the latest run, which is about the moment when it began.
    run: v.optional(v.number()),
    // When something was last heard of the latest run; absent when it has ended.
    heardAt: v.optional(v.number()),
    // The number of the last run that was complete.
    completeRun: v.optional(v.number()),
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
    // Kalendo's version of what stands here.
    version: v.optional(v.number()),
    // The version by which we know in which calendar it is.
    placed: v.optional(v.number()),
    // The run of its calendar that has seen it last.
    seen: v.optional(v.number()),
    // It is in no calendar that we know of: 0 if Kalendo says so, otherwise since when it is missed.
    leftAt: v.optional(v.number()),
  })
    .index("by_calendar_and_start", ["calendar", "start"])
    .index("by_calendar_and_seen", ["calendar", "seen"])
    .index("by_owner_and_start", ["owner", "start"])
    .index("by_owner_and_remote", ["owner", "remote"])
    .index("by_owner_and_leftAt", ["owner", "leftAt"]),

  // What users did that Kalendo has not confirmed yet, one for each owner and event of Kalendo.
  outbox: defineTable({
    owner: v.string(),
    remote: v.string(),
    // What the event shall be; null if it is to be deleted.
    wanted: v.nullable(v.object({ title: v.string(), start: v.number(), end: v.number() })),
    // Grows with every change by the user.
    seq: v.number(),
    // The request that is under way or was the last one: its number, what it told, and when.
    attempt: v.number(),
    sentSeq: v.number(),
    // Absent if no request is under way.
    sentAt: v.optional(v.number()),
    // The newest that a sync brought meanwhile.
    latest: v.optional(
      v.object({ version: v.number(), title: v.string(), start: v.number(), end: v.number() }),
    ),
  }).index("by_owner_and_remote", ["owner", "remote"]),

  // Events that are gone, so that no older version brings them back.
  gone: defineTable({
    owner: v.string(),
    remote: v.string(),
    // The calendar that it has left; null if it was deleted.
    calendar: v.nullable(v.id("calendars")),
    version: v.number(),
  }).index("by_owner_and_remote", ["owner", "remote"]),

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
