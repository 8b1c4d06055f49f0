// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  members: defineTable({
    subject: v.string(),
    name: v.string(),
  }).index("by_subject", ["subject"]),

  boards: defineTable({
    slug: v.string(),
    name: v.string(),
  }).index("by_slug", ["slug"]),

  ideas: defineTable({
    board: v.id("boards"),
    title: v.string(),
    author: v.id("members"),
    // Removed ideas are not shown, and deleted when their author can no longer bring them back.
    removedAt: v.optional(v.number()),
  }).index("by_board", ["board"]),

  votes: defineTable({
    idea: v.id("ideas"),
    member: v.id("members"),
  })
    .index("by_idea_and_member", ["idea", "member"])
    .index("by_member", ["member"]),

  // A count is the sum of its shards (model/counts.ts).
  counts: defineTable({
    name: v.string(),
    shard: v.number(),
    count: v.number(),
  }).index("by_name_and_shard", ["name", "shard"]),
});
