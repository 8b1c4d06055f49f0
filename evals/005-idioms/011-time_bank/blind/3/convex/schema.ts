// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

// All times that members give and take are whole minutes.
export default defineSchema({
  members: defineTable({
    subject: v.string(),
    name: v.string(),
    balance: v.number(),
    // How far below zero the balance may go.
    credit: v.number(),
    frozen: v.boolean(),
  }).index("by_subject", ["subject"]),

  bookings: defineTable({
    kind: v.union(
      v.literal("payment"),
      v.literal("task"),
      v.literal("event"),
      v.literal("import"),
      v.literal("standing"),
      v.literal("leaving"),
    ),
    text: v.string(),
    // How many entries it has. Their minutes add up to zero.
    parts: v.number(),
    at: v.number(),
  }),

  entries: defineTable({
    booking: v.id("bookings"),
    member: v.id("members"),
    minutes: v.number(),
  })
    .index("by_booking", ["booking"])
    .index("by_member", ["member"]),

  // What a member earned and spent in the bookings of a month (UTC, such as "2027-03").
  months: defineTable({
    member: v.id("members"),
    month: v.string(),
    earned: v.number(),
    spent: v.number(),
  }).index("by_member", ["member", "month"]),

  tasks: defineTable({
    customer: v.id("members"),
    helper: v.id("members"),
    title: v.string(),
    minutes: v.number(),
    state: v.union(v.literal("open"), v.literal("done"), v.literal("settled")),
    booking: v.optional(v.id("bookings")),
  })
    .index("by_customer", ["customer"])
    .index("by_booking", ["booking"]),

  events: defineTable({
    host: v.id("members"),
    title: v.string(),
    fee: v.number(),
    closed: v.boolean(),
  }),

  guests: defineTable({
    event: v.id("events"),
    member: v.id("members"),
  }).index("by_event", ["event", "member"]),

  orders: defineTable({
    from: v.id("members"),
    to: v.id("members"),
    minutes: v.number(),
    text: v.string(),
    nextAt: v.number(),
    // How many times in a row it could not be carried out.
    failures: v.number(),
  })
    .index("by_next", ["nextAt"])
    .index("by_from", ["from"]),
});
