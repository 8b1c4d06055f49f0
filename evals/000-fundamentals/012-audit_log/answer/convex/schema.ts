// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const role = v.union(v.literal("admin"), v.literal("agent"));
export const priority = v.union(v.literal("low"), v.literal("normal"), v.literal("high"));

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

  /** Who changed what: see audit/log.ts. */
  audit: defineTable({
    at: v.number(),
    actor: v.string(),
    kind: v.union(v.literal("created"), v.literal("changed"), v.literal("deleted")),
    table: v.string(),
    document: v.string(),
    changes: v.array(v.object({ field: v.string(), from: v.any(), to: v.any() })),
    // Whom the document is about, until they are erased.
    customer: v.optional(v.string()),
  })
    .index("by_document", ["document"])
    .index("by_customer", ["customer"])
    .index("by_at", ["at"]),

  integrations: defineTable({
    name: v.string(),
    url: v.string(),
    secret: v.string(),
    isHealthy: v.boolean(),
  })
    .index("by_name", ["name"])
    .index("by_secret", ["secret"]),
});
