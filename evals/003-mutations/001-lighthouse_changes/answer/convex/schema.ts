// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const light = v.object({
  name: v.string(),
  beam: v.object({
    colour: v.string(),
    periodS: v.number(),
    arc: v.optional(v.object({ fromDeg: v.number(), toDeg: v.number() })),
  }),
  keepers: v.array(v.string()),
  remarks: v.optional(v.string()),
  fogSignal: v.optional(v.object({ kind: v.string(), everyS: v.number() })),
});

export default defineSchema({
  lights: defineTable(light),
});
