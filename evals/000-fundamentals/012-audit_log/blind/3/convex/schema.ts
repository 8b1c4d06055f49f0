// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const role = v.union(v.literal("admin"), v.literal("agent"));
export const priority = v.union(v.literal("low"), v.literal("normal"), v.literal("high"));

const auditValue = v.union(v.null(), v.string(), v.number(), v.boolean());

/** What readers of the audit log see of an entry. */
export const auditEntry = v.object({
  at: v.number(),
  actor: v.string(),
  kind: v.union(v.literal("created"), v.literal("changed"), v.literal("deleted")),
  table: v.union(
    v.literal("customers"),
    v.literal("tickets"),
    v.literal("members"),
    v.literal("integrations"),
  ),
  document: v.string(),
  changes: v.array(v.object({ field: v.string(), from: auditValue, to: auditValue })),
});

export default defineSchema({
  members: defineTable({
    token: v.string(),
    name: v.string(),
    role,
  }).index("by_token", ["token"]),

  customers: defineTable({
    name: v.string(),
    email: v.string(),
    phone: v.optional(v.string()),
    erasedAt: v.optional(v.number()),
  }).index("by_email", ["email"]),

  tickets: defineTable({
    customer: v.id("customers"),
    subject: v.string(),
    text: v.string(),
    priority,
    state: v.union(v.literal("open"), v.literal("snoozed"), v.literal("closed")),
    assignee: v.optional(v.id("members")),
    // When the customer or an agent did something last.
    movedAt: v.number(),
    wakesAt: v.optional(v.number()),
    merged: v.number(),
  })
    .index("by_customer", ["customer"])
    .index("by_assignee", ["assignee"])
    .index("by_state_and_movedAt", ["state", "movedAt"]),

  integrations: defineTable({
    name: v.string(),
    url: v.string(),
    secret: v.string(),
    isHealthy: v.boolean(),
  })
    .index("by_name", ["name"])
    .index("by_secret", ["secret"]),

  audit: defineTable(
    auditEntry.extend({
      // Whose words or address may be among the changes. Absent once they are erased.
      customer: v.optional(v.id("customers")),
    }),
  )
    .index("by_document", ["document"])
    .index("by_customer", ["customer"])
    .index("by_at", ["at"]),
});
