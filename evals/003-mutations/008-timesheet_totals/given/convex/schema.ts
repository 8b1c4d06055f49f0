// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

/**
 * Money is whole cents, time is whole minutes, days are "2026-11-30" and months "2026-11".
 *
 * Pages show kept figures, they never add up rows. So each of these holds after every call:
 *
 * - projects.minutes     the minutes of the project's entries
 * - projects.unbilled    the amounts of its entries that are on no invoice
 * - members.minutes      the minutes of the member's entries
 * - clients.stats        minutes and latest day of the entries in the client's projects
 * - clients.balance      what was invoiced and charged, less what was paid; void invoices do not count
 * - months               what was logged, invoiced and paid in a month, see there
 * - invoices.paid        what payments gave to the invoice
 */
export default defineSchema({
  members: defineTable({
    name: v.string(),
    /** Cents an hour. */
    rate: v.number(),
    minutes: v.number(),
  }),

  clients: defineTable({
    name: v.string(),
    balance: v.number(),
    stats: v.object({ minutes: v.number(), lastDay: v.union(v.string(), v.null()) }),
  }),

  projects: defineTable({
    client: v.id("clients"),
    name: v.string(),
    state: v.union(v.literal("open"), v.literal("closed")),
    minutes: v.number(),
    unbilled: v.number(),
    note: v.optional(v.string()),
  }).index("by_client", ["client"]),

  entries: defineTable({
    project: v.id("projects"),
    member: v.id("members"),
    day: v.string(),
    minutes: v.number(),
    /** What the minutes cost, rounded for each entry. */
    amount: v.number(),
    invoice: v.optional(v.id("invoices")),
  })
    .index("by_project_and_invoice", ["project", "invoice"])
    .index("by_invoice", ["invoice"]),

  /** One document for each client and month, made when it is first needed. */
  months: defineTable({
    client: v.id("clients"),
    month: v.string(),
    /** By the day of the entry. */
    minutes: v.number(),
    /** By the invoice's month; without void invoices. */
    billed: v.number(),
    /** By the month in which the money came. */
    paid: v.number(),
  }).index("by_client_and_month", ["client", "month"]),

  invoices: defineTable({
    project: v.id("projects"),
    client: v.id("clients"),
    /** Numbers count up from 1; each is used once, none is left out. */
    number: v.number(),
    month: v.string(),
    amount: v.number(),
    paid: v.number(),
    state: v.union(v.literal("open"), v.literal("paid"), v.literal("void")),
  }).index("by_client", ["client"]),

  payments: defineTable({
    reference: v.string(),
    client: v.id("clients"),
    amount: v.number(),
    month: v.string(),
  }).index("by_reference", ["reference"]),

  /** A fee that comes back every so many days, such as hosting. */
  retainers: defineTable({
    client: v.id("clients"),
    text: v.string(),
    amount: v.number(),
    everyDays: v.number(),
    nextAt: v.number(),
  }).index("by_next", ["nextAt"]),

  /** What a client owes besides invoices. */
  charges: defineTable({
    client: v.id("clients"),
    text: v.string(),
    amount: v.number(),
  }).index("by_client", ["client"]),

  imports: defineTable({
    url: v.string(),
    state: v.union(v.literal("running"), v.literal("done"), v.literal("failed")),
    /** How many rows were stored, and how many were refused. */
    stored: v.number(),
    refused: v.number(),
  }),

  counters: defineTable({ name: v.string(), value: v.number() }).index("by_name", ["name"]),
});
