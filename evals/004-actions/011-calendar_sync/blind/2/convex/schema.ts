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
    // Kalendo's version of the content; absent if it is not known.
    version: v.optional(v.number()),
    // Kalendo's version as of which the event is in its calendar.
    placed: v.optional(v.number()),
    // The number of the calendar's last run that has seen it when it read all events.
    seen: v.optional(v.number()),
    // Its calendar does not have it any more, and it is not known yet whether another one has. Its user
    // does not see it.
    away: v.optional(v.id("searches")),
  })
    .index("by_calendar_and_start", ["calendar", "start"])
    .index("by_calendar_and_seen", ["calendar", "seen"])
    .index("by_owner_and_away_and_start", ["owner", "away", "start"])
    .index("by_owner_and_remote", ["owner", "remote"])
    .index("by_away", ["away"]),

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

  // The sync of a connected calendar: see model/runs.ts.
  syncs: defineTable({
    calendar: v.id("calendars"),
    // The number of the last run.
    run: v.number(),
    startedAt: v.number(),
    // When something was heard of the run that is under way; absent if none is.
    heardAt: v.optional(v.number()),
    // What Kalendo called the moment of the last complete run.
    since: v.optional(v.string()),
    // The search for what the run that is under way did not see.
    search: v.optional(v.id("searches")),
  }).index("by_calendar", ["calendar"]),

  // Searches for events that are away: see model/places.ts.
  searches: defineTable({
    owner: v.string(),
    // The calendars that may have them, until a run with a higher number is complete.
    waitingFor: v.array(v.object({ calendar: v.id("calendars"), run: v.number() })),
  }).index("by_owner", ["owner"]),

  // Events that are deleted at Kalendo, or in no connected calendar: see model/places.ts.
  graves: defineTable({
    owner: v.string(),
    remote: v.string(),
    version: v.number(),
    // The calendar that has it now, if it was moved.
    movedTo: v.optional(v.string()),
    // When Kalendo told us that it was deleted, if it did not tell the version.
    at: v.optional(v.number()),
  }).index("by_owner_and_remote", ["owner", "remote"]),

  // What users have done and Kalendo has not confirmed: see model/pushes.ts.
  pushes: defineTable({
    owner: v.string(),
    // The id of the event at Kalendo.
    remote: v.string(),
    calendar: v.id("calendars"),
    // Null if the user has removed it.
    event: v.nullable(v.id("events")),
    // The version that the event had.
    version: v.optional(v.number()),
    // Grows with everything that the user does.
    edit: v.number(),
    // The number of the last request, what it tells, and since when it is under way.
    request: v.number(),
    sentEdit: v.number(),
    sentAt: v.optional(v.number()),
    // The newest that a sync brought meanwhile.
    listed: v.optional(
      v.object({ title: v.string(), start: v.number(), end: v.number(), version: v.number() }),
    ),
    // The calendar does not have it any more, so it goes when the push is confirmed.
    leaving: v.optional(
      v.object({ version: v.optional(v.number()), movedTo: v.optional(v.string()) }),
    ),
  })
    .index("by_owner_and_remote", ["owner", "remote"])
    .index("by_calendar", ["calendar"]),
});
