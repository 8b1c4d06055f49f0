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
    // What was known before there were sightings.
    lastGameAt: v.optional(v.number()),
  }),

  // When the newest game was played on a machine, by the players of a shard; stays when this game
  // is voided or deleted.
  sightings: defineTable({ machine: v.id("machines"), shard: v.number(), lastGameAt: v.number() })
    .index("by_machine", ["machine", "shard"]),

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

  // All games that were ever stored, without voided ones. Deleted games stay in it as they were.
  // The document without a shard has what was counted before there were shards.
  totals: defineTable({ shard: v.optional(v.number()), games: v.number() })
    .index("by_shard", ["shard"]),

  // Who stands on the boards at this moment, in their order. Players who were stored before there
  // were entries have none until migrate.ts or a change of theirs makes it.
  entries: defineTable({
    player: v.id("players"),
    // The score, negative: the highest comes first.
    order: v.number(),
    name: v.string(),
    country: v.string(),
  })
    .index("by_player", ["player"])
    .index("by_order", ["order", "name"])
    .index("by_country", ["country", "order", "name"]),

  // The moment at which a player's entry changes by time alone.
  wakes: defineTable({
    player: v.id("players"),
    at: v.number(),
    job: v.id("_scheduled_functions"),
  })
    .index("by_player", ["player"]),

  migration: defineTable({ cursor: v.nullable(v.string()), isDone: v.boolean() }),
});
