// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { atmosphere, cones, schedule, shelf } from "./shapes";

export default defineSchema({
  firings: defineTable({
    kiln: v.string(),
    cones,
    atmosphere,
    schedule,
    shelves: v.record(v.string(), shelf),
  }),
});
