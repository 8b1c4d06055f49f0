// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { type Infer, v } from "convex/values";

export const textOrNull = v.union(v.string(), v.null());
export const numberOrNull = v.union(v.number(), v.null());

// The rows keep the numbers that SQLite gave them, as `id`: clients know no others.

export const customer = v.object({
  id: v.number(),
  code: v.string(),
  name: v.string(),
  email: textOrNull,
  terms: numberOrNull,
  parent: numberOrNull,
  owed: v.number(),
});

export const rate = v.object({
  code: v.string(),
  percent: v.number(),
});

export const invoiceState = v.union(
  v.literal("draft"),
  v.literal("open"),
  v.literal("paid"),
  v.literal("void"),
);

export const invoice = v.object({
  id: v.number(),
  customer: v.number(),
  number: textOrNull,
  issued: textOrNull,
  due: textOrNull,
  state: invoiceState,
  total: numberOrNull,
  paid: v.number(),
  note: textOrNull,
});

export const line = v.object({
  id: v.number(),
  invoice: v.number(),
  text: textOrNull,
  quantity: v.number(),
  price: v.number(),
  rate: textOrNull,
  tax: numberOrNull,
});

export const instalment = v.object({
  invoice: v.number(),
  position: v.number(),
  due: v.string(),
  cents: v.number(),
});

export const payment = v.object({
  id: v.number(),
  invoice: numberOrNull,
  ref: textOrNull,
  day: v.string(),
  cents: v.number(),
  method: textOrNull,
});

export const reminder = v.object({
  invoice: v.number(),
  level: numberOrNull,
  sent: v.string(),
  fee: numberOrNull,
  times: v.number(),
});

export const journalEntry = v.object({
  id: v.number(),
  kind: v.union(v.literal("payment"), v.literal("removal")),
  ref: textOrNull,
  day: v.string(),
  cents: v.number(),
});

/** The highest number that an invoice ever had; there is at most one. */
export const sequence = v.object({
  last: v.number(),
});

export type Customer = Infer<typeof customer>;
export type Rate = Infer<typeof rate>;
export type InvoiceState = Infer<typeof invoiceState>;
export type Invoice = Infer<typeof invoice>;
export type Line = Infer<typeof line>;
export type Instalment = Infer<typeof instalment>;
export type Payment = Infer<typeof payment>;
export type Reminder = Infer<typeof reminder>;
export type JournalEntry = Infer<typeof journalEntry>;
export type Sequence = Infer<typeof sequence>;

export default defineSchema({
  customers: defineTable(customer),
  rates: defineTable(rate),
  invoices: defineTable(invoice),
  lines: defineTable(line).index("by_invoice", ["invoice"]),
  instalments: defineTable(instalment),
  payments: defineTable(payment),
  reminders: defineTable(reminder),
  journal: defineTable(journalEntry),
  sequences: defineTable(sequence),
});
