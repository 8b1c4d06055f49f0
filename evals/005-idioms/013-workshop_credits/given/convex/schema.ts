// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const entryKind = v.union(
  v.literal("granted"),
  v.literal("spent"),
  v.literal("refunded"),
  v.literal("sent"),
  v.literal("received"),
  v.literal("expired"),
  v.literal("withdrawn"),
);

export const part = v.object({ lot: v.id("lots"), credits: v.number() });

export default defineSchema({
  members: defineTable({ person: v.string(), name: v.string(), folded: v.string() })
    .index("by_person", ["person"])
    .index("by_folded", ["folded"]),

  lots: defineTable({
    member: v.id("members"),
    ends: v.number(),
    // What is neither on hold nor gone.
    left: v.number(),
    withdrawn: v.boolean(),
  }).index("by_member", ["member", "ends"]),

  holds: defineTable({
    member: v.id("members"),
    purpose: v.string(),
    parts: v.array(part),
    state: v.union(v.literal("open"), v.literal("captured"), v.literal("released")),
    lapses: v.number(),
    capturedAt: v.optional(v.number()),
    refunded: v.number(),
  }).index("by_member", ["member", "state"]),

  transfers: defineTable({ from: v.id("members"), key: v.string(), at: v.number(), credits: v.number() })
    .index("by_key", ["from", "key"])
    .index("by_time", ["from", "at"]),

  // The statement: positive numbers are credits that came, negative ones that went.
  entries: defineTable({
    member: v.id("members"),
    kind: entryKind,
    credits: v.number(),
    at: v.number(),
    balance: v.number(),
  }).index("by_member", ["member", "at"]),

  // The ends of which a member was told.
  reminders: defineTable({ member: v.id("members"), ends: v.number() }).index("by_member", [
    "member",
    "ends",
  ]),

  notices: defineTable({ member: v.id("members"), text: v.string() }).index("by_member", ["member"]),
});
