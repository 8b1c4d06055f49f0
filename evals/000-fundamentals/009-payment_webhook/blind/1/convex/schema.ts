// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

/** What Paywell last said about the payment of an invoice. */
export const paymentStatus = v.union(
  v.literal("processing"),
  v.literal("failed"),
  v.literal("succeeded"),
);

export default defineSchema({
  plans: defineTable({
    name: v.string(),
    cents: v.number(),
    isOffered: v.boolean(),
  }).index("by_name", ["name"]),

  customers: defineTable({
    name: v.string(),
    email: v.string(),
    plan: v.optional(v.id("plans")),
    // Both are kept by ledger.ts.
    openCents: v.number(),
    creditCents: v.number(),
  }).index("by_plan", ["plan"]),

  /** Where the customers are that were merged into others: see customers/find.ts. */
  aliases: defineTable({
    former: v.id("customers"),
    customer: v.id("customers"),
  })
    .index("by_former", ["former"])
    .index("by_customer", ["customer"]),

  invoices: defineTable({
    customer: v.id("customers"),
    number: v.string(),
    text: v.string(),
    cents: v.number(),
    dueAt: v.number(),
    // These three are changed by ledger.ts alone.
    status: v.union(v.literal("open"), v.literal("paid"), v.literal("void")),
    paidAt: v.optional(v.number()),
    returnedCents: v.number(),
    // Absent until a checkout begins.
    paymentId: v.optional(v.string()),
    paymentStatus: v.optional(paymentStatus),
    checkoutUrl: v.optional(v.string()),
    // What was taken from Paywell's events; absent until one came.
    paywell: v.optional(
      v.object({
        /** The version of the payment that was taken last. */
        version: v.number(),
        /** Where its money went, once it succeeded. */
        money: v.optional(v.union(v.literal("invoice"), v.literal("credit"))),
        /** How many of its refunds are in the books. */
        refunds: v.number(),
      }),
    ),
  })
    .index("by_customer", ["customer"])
    .index("by_status_and_due", ["status", "dueAt"]),

  months: defineTable({
    month: v.string(),
    receivedCents: v.number(),
    returnedCents: v.number(),
  }).index("by_month", ["month"]),

  reminders: defineTable({
    invoice: v.id("invoices"),
    at: v.number(),
  })
    .index("by_invoice", ["invoice"])
    .index("by_at", ["at"]),

  /** Paywell's events that we took, as long as they could come again. */
  paywellReceipts: defineTable({
    event: v.string(),
    until: v.number(),
  })
    .index("by_event", ["event"])
    .index("by_until", ["until"]),
});
