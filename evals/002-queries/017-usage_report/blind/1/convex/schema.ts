// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const kind = v.union(v.literal("sum"), v.literal("peak"));

/** What the events from a moment on add up to, without retracted ones. */
export const part = v.object({
  at: v.number(),
  events: v.number(),
  sum: v.number(),
  peak: v.number(),
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

  // What the events of a meter add up to: the minutes of a quarter of an hour, or the quarters of a
  // day in UTC. Only what has events has a part, and only what has parts has a row.
  totals: defineTable({
    meter: v.id("meters"),
    // The length of the row's time: QUARTER or DAY.
    span: v.number(),
    start: v.number(),
    parts: v.array(part),
  })
    .index("by_meter", ["meter", "span", "start"]),

  // One document, from the first call of `migrate:next` on: up to where the events that are older
  // than the totals were added up.
  conversion: defineTable({
    meter: v.optional(v.id("meters")),
    from: v.number(),
    done: v.boolean(),
  }),
});
