// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

export const status = v.union(...(["drying", "stored", "withdrawn"] as const).map((s) => v.literal(s)));

export const climate = v.object({
  temperatureC: v.number(),
  sealed: v.boolean(),
  jar: v.optional(v.string()),
});

const collected = v.object({ kind: v.literal("collected"), place: v.string() });
const donated = v.object({
  kind: v.literal("donated"),
  donor: v.string(),
  letter: v.optional(v.bytes()),
});

export const origin = v.union(collected, donated);

export const accession = v.object({
  label: v.string(),
  germination: v.number(),
  viable: v.boolean(),
  seedCount: v.int64(),
  packetDigest: v.bytes(),
  shelf: v.id("shelves"),
  parent: v.nullable(v.id("accessions")),
  collectedAt: v.optional(v.number()),
  status,
  climate,
  synonyms: v.array(v.string()),
  germinationByYear: v.record(v.string(), v.number()),
  origin,
});
