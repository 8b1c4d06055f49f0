// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

// All amounts are whole cents, all days are days in UTC, such as "2026-01-31".
export default defineSchema({
  customers: defineTable({
    subject: v.string(),
    name: v.string(),
    // What the next invoices use up.
    credit: v.number(),
  }).index("by_subject", ["subject"]),

  plans: defineTable({
    title: v.string(),
    // How long a period is.
    months: v.number(),
    trialDays: v.number(),
  }),

  /** The price list: a price holds from its day on, until the plan's next one. */
  prices: defineTable({
    plan: v.id("plans"),
    from: v.string(),
    price: v.number(),
  }).index("by_plan_and_from", ["plan", "from"]),

  /** A customer has at most ten subscriptions, ended ones included. */
  subscriptions: defineTable({
    customer: v.id("customers"),
    plan: v.id("plans"),
    startedOn: v.string(),
    isCancelled: v.boolean(),
    isPaused: v.boolean(),
    isEnded: v.boolean(),
    // The end of the present period or trial; in a pause, where it was before.
    end: v.string(),
    // The day of the month on which periods begin, if the month is long enough.
    anchor: v.number(),
    // The present price and the days of the period; absent in a trial.
    period: v.optional(v.object({ price: v.number(), days: v.number() })),
    pause: v.optional(v.object({ daysLeft: v.number() })),
    // The day on which something comes by itself; absent when it has ended.
    nextOn: v.optional(v.string()),
  })
    .index("by_customer", ["customer"])
    .index("by_next", ["nextOn"]),

  invoices: defineTable({
    customer: v.id("customers"),
    // Absent in invoices that the staff have written by hand.
    subscription: v.optional(v.id("subscriptions")),
    day: v.string(),
    text: v.string(),
    amount: v.number(),
    // What the customer's credit has paid, and what is left to pay.
    credit: v.number(),
    due: v.number(),
  }).index("by_customer", ["customer"]),
});
