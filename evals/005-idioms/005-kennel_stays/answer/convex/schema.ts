// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  stays: defineTable({
    kennel: v.string(),
    chip: v.string(),
    state: v.union(v.literal("booked"), v.literal("boarding"), v.literal("left")),
    from: v.number(),
    run: v.optional(v.string()),
  })
    .index("by_kennel_and_state", ["kennel", "state", "from"])
    .index("by_run", ["kennel", "state", "run", "from"])
    .index("by_chip", ["chip", "from"])
    .index("by_chip_and_kennel", ["chip", "kennel", "from"]),
});
