// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const planned = {
  kiln: v.string(),
  cones: v.optional(v.object({ target: v.string(), guard: v.optional(v.string()) })),
  atmosphere: v.union(
    v.string(),
    v.object({ gas: v.string(), fromC: v.number(), toC: v.number() }),
  ),
  schedule: v.array(
    v.union(
      v.object({ kind: v.literal("ramp"), toC: v.number(), perHour: v.number() }),
      v.object({ kind: v.literal("hold"), minutes: v.number() }),
    ),
  ),
};

export const piece = {
  glaze: v.union(v.string(), v.null()),
  coats: v.number(),
};

export default defineSchema({
  firings: defineTable({
    ...planned,
    shelves: v.record(
      v.string(),
      v.object({ heightMm: v.number(), pieces: v.record(v.string(), v.object(piece)) }),
    ),
  }),
});
