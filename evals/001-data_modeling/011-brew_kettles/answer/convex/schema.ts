// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  kettles: defineTable({
    name: v.string(),
    celsius: v.number(),
    litres: v.number(),
    measuredAt: v.union(v.number(), v.null()),
    scriptLength: v.number(),
    script: v.id("scripts"),
  }),
  // Large and seldom read: apart, so that it is not read and written with each measurement.
  scripts: defineTable({ text: v.string() }),
});
