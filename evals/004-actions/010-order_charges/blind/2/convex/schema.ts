// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const orderState = v.union(
  v.literal("charging"),
  v.literal("paid"),
  v.literal("shipped"),
  v.literal("refused"),
  v.literal("cancelled"),
);

export const orderLine = v.object({
  product: v.id("products"),
  title: v.string(),
  quantity: v.number(),
  price: v.number(),
});

// All amounts are whole cents.
export default defineSchema({
  customers: defineTable({
    subject: v.string(),
    email: v.string(),
    points: v.number(),
  }).index("by_subject", ["subject"]),

  products: defineTable({
    title: v.string(),
    price: v.number(),
    // What can still be ordered; goods that orders hold are not among them.
    stock: v.number(),
  }),

  orders: defineTable({
    number: v.string(),
    customer: v.id("customers"),
    lines: v.array(orderLine),
    total: v.number(),
    card: v.string(),
    state: orderState,
    placedAt: v.number(),
    // Paylane's id of the charge that paid for the order.
    charge: v.optional(v.string()),
    refusal: v.optional(v.string()),
    // What the customer asked for last. Orders from before there were attempts have none.
    attempt: v.optional(v.id("attempts")),
  })
    .index("by_number", ["number"])
    .index("by_customer", ["customer"])
    .index("by_state_and_placed", ["state", "placedAt"])
    .index("by_state_and_attempt", ["state", "attempt"]),

  // One for each time that a customer asks us to charge an order. Its id is the key for Paylane.
  attempts: defineTable({
    order: v.id("orders"),
    askedAt: v.number(),
    // Stands for all requests from before there were attempts, whose keys nobody knows: it only asks
    // how they ended.
    isOld: v.boolean(),
    // What Paylane is asked, each time the same. Absent before the first request.
    amount: v.optional(v.number()),
    card: v.optional(v.string()),
    // When a charge was requested last.
    sentAt: v.optional(v.number()),
    // When it is its turn again. Absent once the outcome is certain.
    nextAt: v.optional(v.number()),
  }),

  refunds: defineTable({
    order: v.id("orders"),
    charge: v.string(),
    amount: v.number(),
    state: v.union(v.literal("waiting"), v.literal("done")),
    // When it is tried again.
    nextAt: v.optional(v.number()),
  })
    .index("by_order", ["order"])
    .index("by_charge", ["charge"])
    .index("by_state_and_nextAt", ["state", "nextAt"]),

  mails: defineTable({
    to: v.string(),
    subject: v.string(),
    text: v.string(),
  }).index("by_to", ["to"]),

  takings: defineTable({
    // UTC, such as "2026-03-31".
    day: v.string(),
    orders: v.number(),
    amount: v.number(),
  }).index("by_day", ["day"]),

  numbers: defineTable({ last: v.number() }),
});
