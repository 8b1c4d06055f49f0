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
   * A customer has at most ten subscriptions, ended ones included. They are stored as they were after
   * the last thing that was done or came by itself: more may have come since, see `model/coming.ts`.
   */
  subscriptions: defineTable({
    customer: v.id("customers"),
    plan: v.id("plans"),
    // How long a period is, in this plan and in all that the customer may change to.
    months: v.number(),
    startedOn: v.string(),
    isCancelled: v.boolean(),
    // The present period, null in the trial.
    period: v.nullable(
      v.object({
        // The present price.
        price: v.number(),
        // How many days the whole period has, those of pauses left out.
        days: v.number(),
        // The day of the month that later periods go by.
        anchor: v.number(),
      }),
    ),
    pause: v.nullable(v.object({ since: v.string() })),
    // The first day after the present period or trial; in a pause, as if there were none.
    end: v.string(),
    // The next day on which something comes by itself, null when the subscription has ended.
    next: v.nullable(v.string()),
  })
    .index("by_customer", ["customer"])
    .index("by_next", ["next"]),

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
