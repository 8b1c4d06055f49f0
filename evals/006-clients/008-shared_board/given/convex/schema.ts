// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const label = v.union(v.literal("bug"), v.literal("feature"), v.literal("chore"));

export default defineSchema({
  /** A few lists, shown from left to right in the order in which they were made. */
  lists: defineTable({
    name: v.string(),
    // Cards are closed as long as they stand in a list of this kind.
    isDone: v.boolean(),
    // The most cards that may be moved here; absent: any number.
    limit: v.optional(v.number()),
    // The number of its cards. Kept by lib/sizes.ts.
    size: v.number(),
  }),

  cards: defineTable({
    title: v.string(),
    list: v.id("lists"),
    // The place in the list, from the top: see lib/ranks.ts.
    rank: v.number(),
    label: v.optional(label),
    person: v.optional(v.string()),
    // The day on which it is due, counted from the start of the project.
    due: v.number(),
    isBlocked: v.boolean(),
    closedAt: v.optional(v.number()),
  })
    .index("by_list", ["list", "rank"])
    .index("by_list_and_label", ["list", "label", "rank"])
    .index("by_person", ["person", "closedAt", "due"]),
});
