// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  documents: defineTable({
    title: v.string(),
    // Nothing is written in threads of a locked document: see lib/rules.ts.
    isLocked: v.boolean(),
  }),

  /** A thread begins with a comment on a quoted place, and is deleted with its last comment. */
  threads: defineTable({
    document: v.id("documents"),
    quote: v.string(),
    author: v.string(),
    isResolved: v.boolean(),
    // The number of its comments, and when the last one was posted: kept by lib/threads.ts.
    size: v.number(),
    lastAt: v.number(),
  }).index("by_document", ["document", "lastAt"]),

  comments: defineTable({
    thread: v.id("threads"),
    author: v.string(),
    text: v.string(),
    isEdited: v.boolean(),
    // By this the page that posted it knows it again.
    key: v.optional(v.string()),
  }).index("by_thread", ["thread"]),

  /** The comments that were posted with a key. They stay when the comments are deleted. */
  posts: defineTable({
    author: v.string(),
    key: v.string(),
    comment: v.id("comments"),
  }).index("by_author_and_key", ["author", "key"]),
});
