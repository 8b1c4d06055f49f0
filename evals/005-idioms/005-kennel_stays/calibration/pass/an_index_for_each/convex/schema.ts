// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const stay = {
  kennel: v.string(),
  chip: v.string(),
  state: v.union(v.literal("booked"), v.literal("boarding"), v.literal("left")),
  from: v.number(),
  run: v.optional(v.string()),
};

export default defineSchema({
  stays: defineTable(stay)
    .index("state_then_kennel", ["state", "kennel", "from"])
    .index("run_then_rest", ["run", "kennel", "state", "from"])
    .index("dog", ["chip", "from"])
    .index("kennel_and_dog", ["kennel", "chip", "from"]),
});
