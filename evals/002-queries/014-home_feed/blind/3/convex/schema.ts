// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  users: defineTable({
    token: v.string(),
    handle: v.string(),
    name: v.string(),
    // Up to MAX_BIO characters.
    bio: v.string(),
    isPrivate: v.boolean(),
    role: v.union(v.literal("member"), v.literal("moderator")),
    // Until this moment nobody sees the account's posts in a home; absent if it was never suspended.
    suspendedUntil: v.optional(v.number()),
    // Absent as long as the account is not converted: see migrate.ts.
    hasCard: v.optional(v.literal(true)),
  })
    .index("by_token", ["token"])
    .index("by_handle", ["handle"])
    .index("by_card", ["hasCard"]),

  // What a home needs of each user: see model/cards.ts.
  cards: defineTable({
    user: v.id("users"),
    token: v.string(),
    handle: v.string(),
    name: v.string(),
    suspendedUntil: v.optional(v.number()),
  })
    .index("by_user", ["user"])
    .index("by_token", ["token"]),

  follows: defineTable({
    follower: v.id("users"),
    followee: v.id("users"),
    // Requests to private accounts wait with `accepted: false`.
    accepted: v.boolean(),
    muted: v.boolean(),
  })
    .index("by_follower", ["follower", "followee"])
    .index("by_followee", ["followee"]),

  blocks: defineTable({ blocker: v.id("users"), blocked: v.id("users") })
    .index("by_blocker", ["blocker", "blocked"]),

  posts: defineTable({
    author: v.id("users"),
    // Up to MAX_BODY characters.
    body: v.string(),
    // The moment from which it is shown; may lie ahead (scheduled) or long ago (imported).
    at: v.number(),
    hidden: v.boolean(),
    // The janitor removes the post after this moment.
    expiresAt: v.optional(v.number()),
    // Absent as long as the post is not converted: see migrate.ts.
    hasHead: v.optional(v.literal(true)),
  })
    .index("by_author", ["author"])
    .index("by_expiry", ["expiresAt"])
    .index("by_head", ["hasHead"]),

  // What a home shows of each post: see model/heads.ts.
  heads: defineTable({
    post: v.id("posts"),
    author: v.id("users"),
    // The beginning of the body.
    start: v.string(),
    at: v.number(),
    hidden: v.boolean(),
    // When the post was stored.
    stored: v.number(),
    likes: v.number(),
    // Without removed ones.
    comments: v.number(),
  })
    .index("by_post", ["post"])
    .index("by_author", ["author", "hidden", "at", "stored"]),

  likes: defineTable({ post: v.id("posts"), user: v.id("users") })
    .index("by_post", ["post", "user"])
    .index("by_user", ["user"]),

  comments: defineTable({
    post: v.id("posts"),
    author: v.id("users"),
    text: v.string(),
    // Removed by a moderator, who can restore it.
    removed: v.boolean(),
  })
    .index("by_post", ["post"])
    .index("by_author", ["author"]),
});
