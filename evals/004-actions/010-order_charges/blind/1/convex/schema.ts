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
    // The newest ask. Absent in orders of the time before there were asks.
    ask: v.optional(v.id("asks")),
  })
    .index("by_number", ["number"])
    .index("by_customer", ["customer"])
    .index("by_state_and_placed", ["state", "placedAt"])
    .index("by_state_and_ask", ["state", "ask"]),

  /** What customers asked us to charge, each time one: see model/asks.ts. */
  asks: defineTable({
    order: v.id("orders"),
    // The key of all its requests to Paylane; absent if they are of the time before.
    key: v.optional(v.string()),
    card: v.string(),
    // What is charged, from the first request on.
    amount: v.optional(v.number()),
    askedAt: v.number(),
    // When a charge was requested last; absent before the first request.
    sentAt: v.optional(v.number()),
    // Whether we do not know yet how it ended, and when we do something about it next.
    isOpen: v.boolean(),
    nextAt: v.number(),
    // Paylane's ids of what was charged, once it is known.
    charges: v.optional(v.array(v.string())),
  }).index("by_isOpen_and_nextAt", ["isOpen", "nextAt"]),

  refunds: defineTable({
    order: v.id("orders"),
    charge: v.string(),
    amount: v.number(),
    state: v.union(v.literal("waiting"), v.literal("done")),
    // When it was sent again last.
    sentAt: v.optional(v.number()),
  })
    .index("by_order", ["order"])
    .index("by_state_and_sentAt", ["state", "sentAt"]),

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
