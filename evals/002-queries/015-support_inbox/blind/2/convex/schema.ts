// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

// The inbox reads the last four indexes of emails, chats and calls: see model/parts.ts. Those for
// snoozes end with it, though they begin others: rows with the same end come by their creation.
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
    .index("by_inbox_and_received", [
      "folder",
      "duplicateOf",
      "pinned",
      "snoozedUntil",
      "receivedAt",
    ])
    .index("by_inbox_and_snoozed", ["folder", "duplicateOf", "pinned", "snoozedUntil"])
    .index("by_assignee_and_received", [
      "folder",
      "duplicateOf",
      "assignee",
      "pinned",
      "snoozedUntil",
      "receivedAt",
    ])
    .index("by_assignee_and_snoozed", [
      "folder",
      "duplicateOf",
      "assignee",
      "pinned",
      "snoozedUntil",
    ]),

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
    .index("by_status_and_message", ["status", "pinned", "snooze.until", "lastMessageAt"])
    .index("by_status_and_snoozed", ["status", "pinned", "snooze.until"])
    .index("by_agent_and_message", ["status", "agent", "pinned", "snooze.until", "lastMessageAt"])
    .index("by_agent_and_snoozed", ["status", "agent", "pinned", "snooze.until"]),

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
    .index("by_handled_and_ended", ["handled", "starred", "remindAt", "endedAt"])
    .index("by_handled_and_remind", ["handled", "starred", "remindAt"])
    .index("by_agent_and_ended", ["handled", "agent", "starred", "remindAt", "endedAt"])
    .index("by_agent_and_remind", ["handled", "agent", "starred", "remindAt"]),
});
