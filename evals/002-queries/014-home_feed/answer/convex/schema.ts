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
  })
    .index("by_token", ["token"])
    .index("by_handle", ["handle"]),

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
  })
    .index("by_author", ["author"])
    .index("by_expiry", ["expiresAt"]),

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

  // What a home needs of an account: without the long bio. Kept by every mutation that changes a user.
  profiles: defineTable({
    user: v.id("users"),
    handle: v.string(),
    name: v.string(),
    suspendedUntil: v.optional(v.number()),
  }).index("by_user", ["user"]),

  // What a home needs of a post: an excerpt and counts. Kept by every mutation that changes a post,
  // its likes or its comments.
  cards: defineTable({
    post: v.id("posts"),
    author: v.id("users"),
    hidden: v.boolean(),
    at: v.number(),
    // The post's creation time, which decides between posts of the same moment.
    storedAt: v.number(),
    excerpt: v.string(),
    likes: v.number(),
    comments: v.number(),
  })
    .index("by_post", ["post"])
    .index("by_author", ["author", "hidden", "at", "storedAt"]),

  // How far migrate.ts is: one document.
  migration: defineTable({
    table: v.union(v.literal("users"), v.literal("posts"), v.null()),
    from: v.number(),
  }),
});
