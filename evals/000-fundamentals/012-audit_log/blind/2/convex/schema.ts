// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const role = v.union(v.literal("admin"), v.literal("agent"));
export const priority = v.union(v.literal("low"), v.literal("normal"), v.literal("high"));

/** The tables whose changes are logged. */
export const auditedTable = v.union(
  v.literal("customers"),
  v.literal("tickets"),
  v.literal("members"),
  v.literal("integrations"),
);

const auditedValue = v.union(v.null(), v.string(), v.number(), v.boolean());

/** A field whose value is another than before. */
export const change = v.object({ field: v.string(), from: auditedValue, to: auditedValue });

/** What admins are shown of an entry of the audit log. */
export const auditEntry = {
  at: v.number(),
  actor: v.string(),
  kind: v.union(v.literal("created"), v.literal("changed"), v.literal("deleted")),
  table: auditedTable,
  document: v.string(),
  changes: v.array(change),
};

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

  audit: defineTable({
    ...auditEntry,
    // Whom the entry tells something about, also when the document is gone.
    customer: v.optional(v.id("customers")),
    isErased: v.optional(v.boolean()),
  })
    .index("by_document", ["document"])
    .index("by_at", ["at"])
    .index("by_customer_and_isErased", ["customer", "isErased"]),
});
