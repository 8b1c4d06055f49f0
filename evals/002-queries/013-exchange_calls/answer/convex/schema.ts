// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  calls: defineTable({
    exchange: v.string(),
    startedAt: v.number(),
    seconds: v.number(),
    caller: v.id("subscribers"),
  }).index("by_exchange_and_startedAt", ["exchange", "startedAt"]),
  subscribers: defineTable({
    name: v.string(),
    number: v.string(),
    unlisted: v.boolean(),
  }),
});
