// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  events: defineTable({
    title: v.string(),
    startsAt: v.number(),
    /** Seats have the numbers 1 to this. */
    capacity: v.number(),
    /** How many seats of these numbers are in no booking. */
    free: v.number(),
    state: v.union(v.literal("on_sale"), v.literal("called_off")),
  }),

  /** A seat is in one booking, or in none. */
  seats: defineTable({
    event: v.id("events"),
    number: v.number(),
    booking: v.union(v.id("bookings"), v.null()),
  })
    .index("by_event_and_number", ["event", "number"])
    .index("by_event_and_booking", ["event", "booking", "number"]),

  bookings: defineTable({
    event: v.id("events"),
    person: v.string(),
    /** Numbers of seats. They stay here when a booking has come to nothing. */
    seats: v.array(v.number()),
    /** Booked on the web, offered to somebody who waited, or made at the desk. */
    by: v.union(v.literal("web"), v.literal("offer"), v.literal("desk")),
    /** "lapsed" is what was not paid in time. */
    state: v.union(
      v.literal("pending"),
      v.literal("paid"),
      v.literal("cancelled"),
      v.literal("lapsed"),
    ),
    /** When it came into its state. */
    changedAt: v.number(),
    /**
     * When it has to be paid, unless web sales end before: `endOf` in model/bookings.ts tells its end.
     * Absent if it has no end.
     */
    dueAt: v.optional(v.number()),
    /** Whether its owner has moved its end. */
    extended: v.optional(v.boolean()),
  })
    .index("by_person_and_event", ["person", "event"])
    .index("by_event_and_state", ["event", "state", "dueAt"])
    .index("by_state_and_changedAt", ["state", "changedAt"]),

  /** Who waits for seats of an event, in the order of coming. */
  waiting: defineTable({
    event: v.id("events"),
    person: v.string(),
    count: v.number(),
  })
    .index("by_event", ["event"])
    .index("by_person", ["person"]),

  /** What the payment provider told us, each payment once. */
  payments: defineTable({
    payment: v.string(),
    /** The id of a booking, as the provider has it: it may be anything. */
    booking: v.string(),
    refunded: v.boolean(),
  })
    .index("by_payment", ["payment"])
    .index("by_booking", ["booking"]),

  /** Payments to be paid back, each once; the accounting program collects them. */
  refunds: defineTable({ payment: v.string() }),

  /** Persons who may not book any more. */
  blocks: defineTable({ person: v.string() }).index("by_person", ["person"]),

  /** Mails to be sent. */
  mails: defineTable({ person: v.string(), kind: v.literal("offer"), booking: v.id("bookings") }),
});
