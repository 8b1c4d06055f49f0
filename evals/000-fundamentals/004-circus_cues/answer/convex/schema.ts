// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  cues: defineTable({
    act: v.string(),
    dueAt: v.number(),
    givenAt: v.union(v.number(), v.null()),
    // Set in the mutation that stores the cue; the run needs the cue's id first.
    run: v.optional(v.id("_scheduled_functions")),
  }),
});
