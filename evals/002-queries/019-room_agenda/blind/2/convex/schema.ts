// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

/** What is said of a series when it is booked. */
export const seriesFields = {
  room: v.id("rooms"),
  title: v.string(),
  zone: v.string(),
  start: v.string(),
  minutes: v.number(),
  every: v.optional(
    v.union(v.literal("day"), v.literal("week"), v.literal("month"), v.literal("year")),
  ),
  interval: v.optional(v.number()),
  weekdays: v.optional(v.array(v.number())),
  nth: v.optional(v.number()),
  count: v.optional(v.number()),
  until: v.optional(v.string()),
};

/*
 * Imported from our old server (legacy/rooms.py.txt), whose names the fields have. Days are texts
 * ("2026-03-29"), and so are starts ("2026-03-29T18:30"), by the clocks of the series' zone. What is
 * absent is None there. An occurrence takes a week at most.
 *
 * Of a room, at most 12 series that recur are not over yet; ten thousand are. Thousands of single
 * bookings (without `every`) lie ahead, at most 60 within 200 days. A series has at most 150 changes,
 * and within 200 days at most 6 changed days, and 6 that were moved there.
 */
export default defineSchema({
  rooms: defineTable({ name: v.string() }),

  series: defineTable({
    ...seriesFields,
    /**
     * The day on which it begins for the last time, moved days included and skipped ones not; the day
     * of `start` if nothing takes place. Absent if it goes on for ever.
     */
    last: v.optional(v.string()),
  })
    .index("by_room", ["room", "last"])
    .index("by_room_and_every", ["room", "every", "last"]),

  /** What is different on a day of a series; of a day there is one. */
  changes: defineTable({
    series: v.id("series"),
    day: v.string(),
    start: v.optional(v.string()),
    minutes: v.optional(v.number()),
  })
    .index("by_series", ["series", "day"])
    .index("by_series_and_start", ["series", "start"]),
});
