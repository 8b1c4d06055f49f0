// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  holds: defineTable({ lane: v.number(), archer: v.string() }).index("by_lane", ["lane"]),
  arrows: defineTable({ hold: v.id("holds"), points: v.number() }).index("by_hold", ["hold"]),
});
