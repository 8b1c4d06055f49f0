// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

// The indexes "fresh" and "woken" are those of the inbox: of what is not snoozed, and of what was
// snoozed until a moment. Those with "of" in their names take one assignee each.
export default defineSchema({
  agents: defineTable({ token: v.string(), name: v.string() }).index("by_token", ["token"]),

  customers: defineTable({ name: v.string(), email: v.string(), phone: v.optional(v.string()) })
    .index("by_email", ["email"])
    .index("by_phone", ["phone"]),

  emails: defineTable({
    customer: v.id("customers"),
    subject: v.string(),
    body: v.string(),
    messageId: v.string(),
    folder: v.union(v.literal("inbox"), v.literal("archive"), v.literal("trash")),
    receivedAt: v.number(),
    read: v.boolean(),
    // Absent in what arrived before there were pins, which is the same as false.
    pinned: v.optional(v.boolean()),
    // Nobody's if absent (never assigned) or null (given back).
    assignee: v.optional(v.union(v.id("agents"), v.null())),
    snoozedUntil: v.optional(v.number()),
    // Mail servers send some mails twice. The second points at the first, and is shown nowhere.
    duplicateOf: v.optional(v.id("emails")),
  })
    .index("by_message", ["messageId"])
    .index("by_folder", ["folder"])
    .index("fresh", ["folder", "duplicateOf", "pinned", "snoozedUntil", "receivedAt"])
    .index("fresh_of", [
      "folder",
      "duplicateOf",
      "assignee",
      "pinned",
      "snoozedUntil",
      "receivedAt",
    ])
    // These begin the ones above, but order what is equal by its creation.
    .index("woken", ["folder", "duplicateOf", "pinned", "snoozedUntil"])
    .index("woken_of", ["folder", "duplicateOf", "assignee", "pinned", "snoozedUntil"]),

  chats: defineTable({
    customer: v.id("customers"),
    topic: v.string(),
    status: v.union(v.literal("open"), v.literal("done")),
    lastMessageAt: v.number(),
    // Messages that no agent has read.
    unread: v.number(),
    pinned: v.boolean(),
    agent: v.union(v.id("agents"), v.null()),
    snooze: v.optional(v.object({ until: v.number(), by: v.id("agents") })),
  })
    .index("by_status", ["status"])
    .index("by_customer", ["customer", "status"])
    .index("fresh", ["status", "pinned", "snooze.until", "lastMessageAt"])
    .index("fresh_of", ["status", "agent", "pinned", "snooze.until", "lastMessageAt"])
    .index("woken", ["status", "pinned", "snooze.until"])
    .index("woken_of", ["status", "agent", "pinned", "snooze.until"]),

  messages: defineTable({
    chat: v.id("chats"),
    text: v.string(),
    agent: v.optional(v.id("agents")),
  }).index("by_chat", ["chat"]),

  calls: defineTable({
    number: v.string(),
    customer: v.optional(v.id("customers")),
    // Absent while the call goes on, and such a call is not listed.
    endedAt: v.optional(v.number()),
    handled: v.boolean(),
    heard: v.boolean(),
    // The pin of a call: there or not.
    starred: v.optional(v.literal(true)),
    agent: v.optional(v.id("agents")),
    // The snooze of a call.
    remindAt: v.union(v.number(), v.null()),
  })
    .index("by_number", ["number", "endedAt"])
    .index("by_handled", ["handled"])
    // Both the fresh and the woken ones.
    .index("inbox", ["handled", "starred", "remindAt", "endedAt"])
    .index("inbox_of", ["handled", "agent", "starred", "remindAt", "endedAt"]),
});
