// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  users: defineTable({
    token: v.string(),
    handle: v.string(),
    name: v.string(),
    // Only of accounts that are not converted yet (migrate.ts): else it stands in `bios`.
    bio: v.optional(v.string()),
    isPrivate: v.boolean(),
    role: v.union(v.literal("member"), v.literal("moderator")),
    // Until this moment nobody sees the account's posts in a home; absent if it was never suspended.
    suspendedUntil: v.optional(v.number()),
  })
    .index("by_token", ["token"])
    .index("by_handle", ["handle"])
    .index("by_bio", ["bio"]),

  // Apart from the accounts, which are read often. No document means an empty bio.
  bios: defineTable({
    user: v.id("users"),
    // Up to MAX_BIO characters.
    bio: v.string(),
  }).index("by_user", ["user"]),

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
    // Only of posts that are not converted yet (migrate.ts): else it stands in `bodies`.
    body: v.optional(v.string()),
    // The beginning of the text, from which lists make the excerpt; absent if not converted yet.
    head: v.optional(v.string()),
    // The moment from which it is shown; may lie ahead (scheduled) or long ago (imported).
    at: v.number(),
    hidden: v.boolean(),
    // The janitor removes the post after this moment.
    expiresAt: v.optional(v.number()),
  })
    .index("by_author", ["author"])
    .index("by_author_and_at", ["author", "hidden", "at"])
    .index("by_head", ["head"])
    .index("by_expiry", ["expiresAt"]),

  // One for each converted post.
  bodies: defineTable({
    post: v.id("posts"),
    // Up to MAX_BODY characters.
    body: v.string(),
  }).index("by_post", ["post"]),

  // One for each converted post; changed with its likes and comments (model/counts.ts).
  counts: defineTable({
    post: v.id("posts"),
    likes: v.number(),
    // Without those that a moderator removed.
    comments: v.number(),
  }).index("by_post", ["post"]),

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
