// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { vRow, vState } from "./model/validators";

/*
 * All amounts are cents, all days ISO days ("2026-03-31").
 * There are 90,000 customers. One has at most 40 unpaid invoices, but thousands of paid ones. Of the
 * same lines (day, account, amount, payer and purpose) the bank has sent at most 15 so far, and of the
 * same amount from one account at most 60 within eight weeks.
 */
export default defineSchema({
  staff: defineTable({ subject: v.string(), name: v.string() }).index("by_subject", ["subject"]),

  customers: defineTable({
    name: v.string(),
    /** What was paid and belongs to no invoice. */
    credit: v.optional(v.number()),
    /** The sum of what is open of the customer's invoices (model/invoices.ts). */
    owed: v.number(),
  }).index("by_name", ["name"]),

  /** Bank accounts that pay for a customer. */
  accounts: defineTable({ iban: v.string(), customer: v.id("customers") })
    .index("by_iban", ["iban"])
    .index("by_customer", ["customer"]),

  invoices: defineTable({
    /** "INV-26-00017" since 2019, free text before. Unique. */
    number: v.string(),
    customer: v.id("customers"),
    amount: v.number(),
    paid: v.number(),
    /** What is still to be paid, 0 if void (model/invoices.ts). */
    open: v.number(),
    issued: v.string(),
    due: v.optional(v.string()),
    /** Percent for who pays within `discountDays`. */
    discount: v.optional(v.number()),
    discountDays: v.optional(v.number()),
    void: v.optional(v.boolean()),
  })
    .index("by_number", ["number"])
    .index("by_customer", ["customer", "issued"])
    .index("by_customer_and_open", ["customer", "open"]),

  bookings: defineTable({
    iban: v.string(),
    day: v.string(),
    amount: v.number(),
    customer: v.id("customers"),
    parts: v.array(
      v.object({ invoice: v.id("invoices"), amount: v.number(), discount: v.number() }),
    ),
    credit: v.optional(v.number()),
    returned: v.optional(v.boolean()),
  })
    .index("by_customer", ["customer", "day"])
    .index("by_iban", ["iban", "day"])
    .index("by_iban_and_amount", ["iban", "amount", "returned", "day"]),

  /** One for each file from the bank. */
  statements: defineTable({
    name: v.string(),
    /** The last summary of the script. */
    summary: v.string(),
  }),

  lines: defineTable({
    statement: v.id("statements"),
    number: v.number(),
    text: v.string(),
    day: v.optional(v.string()),
    iban: v.optional(v.string()),
    amount: v.optional(v.number()),
    payer: v.optional(v.string()),
    purpose: v.optional(v.string()),
    known: v.optional(v.boolean()),
  })
    .index("by_statement", ["statement", "number"])
    .index("by_content", ["day", "iban", "amount", "payer", "purpose"]),

  /** How far a statement is. Those that the script booked have none: they are done. */
  runs: defineTable({
    statement: v.id("statements"),
    file: v.id("_storage"),
    state: vState,
    /** What reads the file, and how often that was begun. */
    job: v.id("_scheduled_functions"),
    tries: v.number(),
    /** Rows of the file that are in `chunks`, or were there before they were booked. */
    stored: v.number(),
    /** Rows of the file that are booked: the lines of the statement. */
    booked: v.number(),
    /** Lines that have a day and were not known, and the sum of their amounts, however large. */
    fresh: v.number(),
    total: v.string(),
  })
    .index("by_statement", ["statement"])
    .index("by_state", ["state"]),

  /** Rows that are still to be booked, from the row `start` of the statement on. */
  chunks: defineTable({
    statement: v.id("statements"),
    start: v.number(),
    rows: v.array(vRow),
  }).index("by_statement", ["statement", "start"]),

  /** Counts lines that came too often to read all of them each time (model/booking.ts). */
  repeats: defineTable({
    day: v.string(),
    iban: v.string(),
    amount: v.number(),
    payer: v.string(),
    purpose: v.string(),
    /** Lines that were not known. */
    fresh: v.number(),
    /** The last statement with such a line, and how many of its next ones are known. */
    statement: v.id("statements"),
    left: v.number(),
  }).index("by_content", ["day", "iban", "amount", "payer", "purpose"]),
});
