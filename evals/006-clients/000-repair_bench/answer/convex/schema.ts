// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  repairs: defineTable({
    item: v.string(),
    fault: v.string(),
    done: v.boolean(),
  }).index("by_done", ["done"]),
});
