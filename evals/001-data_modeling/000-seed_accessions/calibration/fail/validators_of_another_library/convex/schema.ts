// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  shelves: defineTable({
    code: v.string(),
  }),
  accessions: defineTable({
    label: v.string(),
    germination: v.number(),
    viable: v.boolean(),
    seedCount: v.int64(),
    packetDigest: v.bytes(),
    shelf: v.id("shelves"),
    parent: v.union(v.id("accessions"), v.null()),
    collectedAt: v.optional(v.date()),
    status: v.enum(["drying", "stored", "withdrawn"]),
    climate: v.object({
      temperatureC: v.number(),
      sealed: v.boolean(),
      jar: v.optional(v.string()),
    }),
    synonyms: v.array(v.string()),
    germinationByYear: v.record(v.string(), v.number()),
    origin: v.union(
      v.object({ kind: v.literal("collected"), place: v.string() }),
      v.object({
        kind: v.literal("donated"),
        donor: v.string(),
        letter: v.optional(v.bytes()),
      }),
    ),
  }),
});
