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
   * A customer has at most ten subscriptions, ended ones included. What is stored is how a subscription
   * stood after its latest invoice or change; `model/standing.ts` tells how it stands on a later day.
   */
  subscriptions: defineTable({
    customer: v.id("customers"),
    plan: v.id("plans"),
    startedOn: v.string(),
    // How long a period is: the same for every plan that the subscription can change to.
    months: v.number(),
    isCancelled: v.boolean(),
    // The day on which the trial or period ends and the next period begins, without the pause below.
    end: v.string(),
    // The present price of the period, 0 in a trial.
    price: v.number(),
    // Absent in a trial. How many days the whole period has, and on which day of the month the later
    // ones begin.
    period: v.optional(v.object({ days: v.number(), monthDay: v.number() })),
    // The day on which the pause ends by itself, and how many days of the trial or period are kept.
    pause: v.optional(v.object({ endsOn: v.string(), daysLeft: v.number() })),
    // The day of the next invoice that comes by itself; absent if none comes.
    billsOn: v.optional(v.string()),
  })
    .index("by_customer", ["customer"])
    .index("by_bills_on", ["billsOn"]),

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
