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
    // Score and name, as a text that sorts like the boards; absent for who stands on none.
    place: v.optional(v.string()),
    // For when `players:refresh` was last scheduled, because time alone changes the score then.
    wakeAt: v.optional(v.number()),
  })
    .index("by_token", ["token"])
    .index("by_name", ["name"])
    .index("by_place", ["place"])
    .index("by_country", ["country", "place"]),

  machines: defineTable({
    site: v.string(),
    // When the newest game was played that was stored before games were looked up for it, or that
    // was deleted.
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

  // How many players stand on a part of a board; see `model/blocks.ts`.
  blocks: defineTable({
    board: v.string(),
    level: v.number(),
    from: v.string(),
    count: v.number(),
  })
    .index("by_board", ["board", "level", "from"]),

  // At most one document, with what was counted before there were `gameCounts`. Together they count
  // all games that were ever stored, without voided ones. Deleted games stay in it as they were.
  totals: defineTable({ games: v.number() }),

  // Each counts the games of some players; a count may be negative.
  gameCounts: defineTable({ shard: v.number(), games: v.number() })
    .index("by_shard", ["shard"]),

  // One document, from the first call of `migrate:next` on: the token of the last player who was
  // entered on the boards.
  conversion: defineTable({ after: v.optional(v.string()), done: v.boolean() }),
});
