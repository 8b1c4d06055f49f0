// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  shows: defineTable({
    name: v.string(),
    // When the first track begins: minutes after midnight.
    startsAt: v.number(),
    // Nothing is moved in a frozen show.
    isFrozen: v.boolean(),
  }),

  tracks: defineTable({
    show: v.id("shows"),
    title: v.string(),
    minutes: v.number(),
    // The place in the show: see lib/positions.ts.
    position: v.number(),
    // Tracks are played from the top, so all that were played stand above all others.
    isPlayed: v.boolean(),
  })
    .index("by_show", ["show", "position"])
    .index("by_show_and_played", ["show", "isPlayed", "position"]),
});
