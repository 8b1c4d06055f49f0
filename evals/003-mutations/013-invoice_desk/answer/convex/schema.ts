// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const maybeText = v.union(v.string(), v.null());
const maybeNumber = v.union(v.number(), v.null());

export default defineSchema({
  customers: defineTable({
    id: v.number(),
    code: v.string(),
    /** The code with small letters, as NOCASE compares it. */
    key: v.string(),
    name: v.string(),
    email: maybeText,
    terms: maybeNumber,
    parent: maybeNumber,
    owed: v.number(),
  })
    .index("by_number", ["id"])
    .index("by_key", ["key"])
    .index("by_email", ["email"])
    .index("by_parent", ["parent"]),

  rates: defineTable({ code: v.string(), key: v.string(), percent: v.number() }).index("by_key", [
    "key",
  ]),

  invoices: defineTable({
    id: v.number(),
    customer: v.number(),
    number: maybeText,
    issued: maybeText,
    due: maybeText,
    state: v.union(v.literal("draft"), v.literal("open"), v.literal("paid"), v.literal("void")),
    total: maybeNumber,
    paid: v.number(),
    note: maybeText,
  })
    .index("by_number", ["id"])
    .index("by_customer_and_state", ["customer", "state"])
    .index("by_text", ["number"]),

  /** The highest id that an invoice ever had. */
  sequences: defineTable({ invoices: v.number() }),

  lines: defineTable({
    id: v.number(),
    invoice: v.number(),
    text: maybeText,
    quantity: v.number(),
    price: v.number(),
    rate: maybeText,
    /** The rate with small letters. */
    rateKey: maybeText,
    tax: maybeNumber,
  })
    .index("by_number", ["id"])
    .index("by_invoice_and_number", ["invoice", "id"])
    .index("by_rate", ["rateKey"]),

  instalments: defineTable({
    invoice: v.number(),
    position: v.number(),
    due: v.string(),
    cents: v.number(),
  }).index("by_invoice_and_position", ["invoice", "position"]),

  payments: defineTable({
    id: v.number(),
    invoice: maybeNumber,
    ref: maybeText,
    day: v.string(),
    cents: v.number(),
    method: maybeText,
  })
    .index("by_number", ["id"])
    .index("by_invoice", ["invoice"])
    .index("by_ref_and_method", ["ref", "method"]),

  reminders: defineTable({
    invoice: v.number(),
    level: maybeNumber,
    sent: v.string(),
    fee: maybeNumber,
    times: v.number(),
  }).index("by_invoice_and_level", ["invoice", "level"]),

  journal: defineTable({
    id: v.number(),
    kind: v.string(),
    ref: maybeText,
    day: v.string(),
    cents: v.number(),
  })
    .index("by_number", ["id"])
    .index("by_kind_and_ref", ["kind", "ref"]),
});
