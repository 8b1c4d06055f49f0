// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  cues: defineTable({
    act: v.string(),
    dueAt: v.number(),
    givenAt: v.nullable(v.number()),
  }),
  runs: defineTable({
    cue: v.id("cues"),
    run: v.id("_scheduled_functions"),
  }).index("by_cue", ["cue"]),
});
