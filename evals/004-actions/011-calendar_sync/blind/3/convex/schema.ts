// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

/** An event as Kalendo has listed it. */
export const listedContent = v.object({
  version: v.number(),
  title: v.string(),
  start: v.number(),
  end: v.number(),
});

// All moments are milliseconds since the epoch.
export default defineSchema({
  calendars: defineTable({
    // The subject of the user.
    owner: v.string(),
    name: v.string(),
    // The id of the calendar at Kalendo; calendars without one exist only here.
    remote: v.optional(v.string()),
    syncedAt: v.optional(v.number()),
    // Of the last complete sync: Kalendo's text for its moment, and when it began to read.
    nextSync: v.optional(v.string()),
    syncedFrom: v.optional(v.number()),
  })
    .index("by_owner", ["owner"])
    .index("by_owner_and_remote", ["owner", "remote"]),

  // Syncs that are under way, one at most for each calendar. Whose document is gone has ended.
  runs: defineTable({
    calendar: v.id("calendars"),
    // When it began to read, and when it was last heard of.
    startedAt: v.number(),
    heardAt: v.number(),
    // Without it, all events are read.
    since: v.optional(v.string()),
    // The next page, after the first one.
    page: v.optional(v.string()),
    // Whether events were hidden, so that a second pass has to follow.
    hasHidden: v.optional(v.boolean()),
  }).index("by_calendar", ["calendar"]),

  events: defineTable({
    owner: v.string(),
    calendar: v.id("calendars"),
    // The id of the event at Kalendo. Two users may have connected the same calendar there.
    remote: v.optional(v.string()),
    title: v.string(),
    start: v.number(),
    end: v.number(),
    // The newest version at Kalendo that we know; absent until it is listed or confirmed.
    version: v.optional(v.number()),
    // When Kalendo last listed it in its calendar.
    seenAt: v.optional(v.number()),
    // Since then the event is hidden: its calendar does not list it any more, but another one may.
    missingSince: v.optional(v.number()),
  })
    .index("by_calendar_and_start", ["calendar", "start"])
    .index("by_calendar_and_missing_and_seen", ["calendar", "missingSince", "seenAt"])
    .index("by_owner_and_missing_and_start", ["owner", "missingSince", "start"])
    .index("by_owner_and_remote", ["owner", "remote"]),

  // What users have done with events of Kalendo, until Kalendo has confirmed it (model/changes.ts).
  changes: defineTable({
    owner: v.string(),
    calendar: v.id("calendars"),
    remote: v.string(),
    // It is gone if it was removed.
    event: v.id("events"),
    isRemoval: v.boolean(),
    // Grows with all that the user does.
    revision: v.number(),
    attempts: v.number(),
    // The request that is under way.
    sending: v.optional(v.object({ attempt: v.number(), since: v.number() })),
    // What Kalendo has listed in the meantime.
    listed: v.optional(listedContent),
  })
    .index("by_owner_and_remote", ["owner", "remote"])
    .index("by_calendar", ["calendar"]),

  // Events that are no longer at Kalendo, or no longer in a calendar that their user has connected.
  // Versions older than this are not taken over any more.
  gone: defineTable({
    owner: v.string(),
    calendar: v.id("calendars"),
    remote: v.string(),
    version: v.number(),
  })
    .index("by_owner_and_remote", ["owner", "remote"])
    .index("by_calendar", ["calendar"]),

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
