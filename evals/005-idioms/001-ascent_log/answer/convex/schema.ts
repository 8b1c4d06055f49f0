// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  ascents: defineTable({
    /** The owner's token identifier: unique over all identity providers. */
    owner: v.string(),
    route: v.string(),
    grade: v.string(),
    note: v.union(v.string(), v.null()),
  }).index("by_owner", ["owner"]),
});
