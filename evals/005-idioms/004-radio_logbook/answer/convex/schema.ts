// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const role = v.union(v.literal("listener"), v.literal("operator"), v.literal("steward"));

export default defineSchema({
  members: defineTable({
    user: v.string(),
    role,
    suspended: v.boolean(),
  }).index("by_user", ["user"]),
  contacts: defineTable({
    station: v.string(),
    mhz: v.number(),
    by: v.id("members"),
  }),
});
