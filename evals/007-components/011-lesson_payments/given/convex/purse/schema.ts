// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  accounts: defineTable({
    ref: v.string(),
    available: v.int64(),
    held: v.int64(),
  }).index("by_ref", ["ref"]),

  holds: defineTable({
    account: v.id("accounts"),
    amount: v.int64(),
    state: v.union(
      v.literal("open"),
      v.literal("settled"),
      v.literal("released"),
      v.literal("ended"),
    ),
    until: v.number(),
    reference: v.string(),
    onEnding: v.string(),
  }),

  references: defineTable({
    reference: v.string(),
    account: v.id("accounts"),
    amount: v.int64(),
    hold: v.optional(v.id("holds")),
  }).index("by_reference", ["reference"]),
});
