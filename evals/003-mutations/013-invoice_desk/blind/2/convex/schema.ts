// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const nullableText = v.union(v.string(), v.null());
const nullableNumber = v.union(v.number(), v.null());

// The tables of the desk, with the numbers that its clients know as `id`. No field is ever absent:
// what SQLite keeps as NULL is null here.
export default defineSchema({
  customers: defineTable({
    id: v.number(),
    code: v.string(),
    name: v.string(),
    email: nullableText,
    terms: nullableNumber,
    parent: nullableNumber,
    owed: v.number(),
  }),

  rates: defineTable({
    code: v.string(),
    percent: v.number(),
  }),

  invoices: defineTable({
    id: v.number(),
    customer: v.number(),
    number: nullableText,
    issued: nullableText,
    due: nullableText,
    state: v.union(v.literal("draft"), v.literal("open"), v.literal("paid"), v.literal("void")),
    total: nullableNumber,
    paid: v.number(),
    note: nullableText,
  }),

  lines: defineTable({
    id: v.number(),
    invoice: v.number(),
    text: nullableText,
    quantity: v.number(),
    price: v.number(),
    rate: nullableText,
    tax: nullableNumber,
  }).index("by_invoice", ["invoice"]),

  instalments: defineTable({
    invoice: v.number(),
    position: v.number(),
    due: v.string(),
    cents: v.number(),
  }),

  payments: defineTable({
    id: v.number(),
    invoice: nullableNumber,
    ref: nullableText,
    day: v.string(),
    cents: v.number(),
    method: nullableText,
  }),

  reminders: defineTable({
    invoice: v.number(),
    level: nullableNumber,
    sent: v.string(),
    fee: nullableNumber,
    times: v.number(),
  }),

  journal: defineTable({
    id: v.number(),
    kind: v.string(),
    ref: nullableText,
    day: v.string(),
    cents: v.number(),
  }),

  // The last number ever given, where numbers of deleted rows are not given again.
  sequences: defineTable({
    name: v.string(),
    last: v.number(),
  }),
});
