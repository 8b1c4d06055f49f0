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
    // The newest attempt to charge it. Older orders have none.
    attempt: v.optional(v.id("attempts")),
  })
    .index("by_number", ["number"])
    .index("by_customer", ["customer"])
    .index("by_state_and_placed", ["state", "placedAt"])
    .index("by_state_and_attempt", ["state", "attempt"]),

  // What customers asked us to charge (model/charges.ts). The id is the key for Paylane.
  attempts: defineTable({
    order: v.id("orders"),
    card: v.string(),
    // What is requested: set by the first request, and never changed.
    amount: v.optional(v.number()),
    askedAt: v.number(),
    // When the last request was noted, which is right before it is sent.
    sentAt: v.optional(v.number()),
    // Whether requests were sent under keys that are not known.
    isAdopted: v.optional(v.boolean()),
    // Whether it is not certain how it ended.
    isOpen: v.boolean(),
    // When it is the cron's turn.
    nextAt: v.number(),
  }).index("by_open_and_next", ["isOpen", "nextAt"]),

  refunds: defineTable({
    order: v.id("orders"),
    charge: v.string(),
    amount: v.number(),
    state: v.union(v.literal("waiting"), v.literal("done")),
    // When it is tried again, if it is waiting; at once if it is absent.
    nextAt: v.optional(v.number()),
  })
    .index("by_order", ["order"])
    .index("by_state_and_next", ["state", "nextAt"]),

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
