// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  players: defineTable({
    token: v.string(),
    // Unique; small letters, digits and hyphens.
    name: v.string(),
    country: v.string(),
    // Until this moment the player stands on no board; absent if there was never a suspension.
    suspendedUntil: v.optional(v.number()),
  })
    .index("by_token", ["token"])
    .index("by_name", ["name"]),

  machines: defineTable({
    site: v.string(),
    // When the newest game was played; stays when this game is voided or deleted.
    lastGameAt: v.optional(v.number()),
  }),

  games: defineTable({
    player: v.id("players"),
    machine: v.id("machines"),
    points: v.number(),
    // Uploaded games were played before they are stored.
    playedAt: v.number(),
    voided: v.boolean(),
  })
    .index("by_player", ["player", "playedAt"])
    .index("by_machine", ["machine", "playedAt"])
    .index("by_time", ["playedAt"]),

  // One document, from the first game on: all games that were ever stored, without voided ones.
  // Deleted games stay in it as they were.
  totals: defineTable({ games: v.number() }),
});
