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

  /**
   * A customer has at most ten subscriptions, ended ones included. What comes by itself is not in
   * here before `takeStep` in model/billing.ts has been at it.
   */
  subscriptions: defineTable({
    customer: v.id("customers"),
    plan: v.id("plans"),
    startedOn: v.string(),
    isCancelled: v.boolean(),
    // Whether it is in its trial, or else in a period.
    isTrial: v.boolean(),
    // The present price of the period; 0 in a trial.
    price: v.number(),
    // How long the whole trial or period is.
    days: v.number(),
    // When the trial or period ends; in a pause, when it would have ended without the pause.
    end: v.string(),
    // The day of the month by which later periods go.
    monthDay: v.number(),
    // Absent without a pause.
    pausedOn: v.optional(v.string()),
    // When something comes by itself next; absent when the subscription has ended.
    nextOn: v.optional(v.string()),
  })
    .index("by_customer_and_next", ["customer", "nextOn"])
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
