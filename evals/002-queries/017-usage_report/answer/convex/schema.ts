// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const kind = v.union(v.literal("sum"), v.literal("peak"));

/** What happened in a slot of time: the events that are not retracted. */
export const slot = v.object({
  events: v.number(),
  sum: v.number(),
  peak: v.nullable(v.number()),
});

export default defineSchema({
  // The offset of local time from UTC in a zone, in minutes, from a moment on until the next row.
  // Each zone has a row that begins at 0. Laws change, so rows are added and mended at any time.
  zones: defineTable({ name: v.string(), since: v.number(), offset: v.number() })
    .index("by_name", ["name", "since"]),

  customers: defineTable({
    token: v.string(),
    zone: v.string(),
    // Set while the customer is removed, but can be restored.
    removedAt: v.optional(v.number()),
  })
    .index("by_token", ["token"])
    .index("by_removal", ["removedAt"]),

  meters: defineTable({
    customer: v.id("customers"),
    name: v.string(),
    // What a day shows: the sum of its amounts, or the greatest one.
    kind,
  })
    .index("by_customer", ["customer", "name"]),

  events: defineTable({
    meter: v.id("meters"),
    // Unique for the meter, also among retracted events: what is sent twice is stored once.
    key: v.string(),
    // When it happened.
    at: v.number(),
    amount: v.number(),
    retracted: v.boolean(),
  })
    .index("by_key", ["meter", "key"])
    .index("by_meter", ["meter", "at"])
    .index("by_time", ["at"]),

  // A UTC day of a meter in slots of quarters, and a quarter in slots of minutes; the place counts
  // days and quarters since 1970. Time without events has no row, and what was stored before there
  // were tallies has none until migrate.ts makes them.
  tallies: defineTable({
    meter: v.id("meters"),
    span: v.union(v.literal("day"), v.literal("quarter")),
    place: v.number(),
    slots: v.array(slot),
  })
    .index("by_meter", ["meter", "span", "place"]),

  migration: defineTable({ cursor: v.nullable(v.string()), isDone: v.boolean() }),
});
