// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  /** What each account has used on each day, for the monthly report. */
  days: defineTable({
    account: v.string(),
    // Counted from 1 January 1970.
    day: v.number(),
    used: v.number(),
  }).index("by_account", ["account", "day"]),

  /** Of which accounts the app was told on which days that little is left. */
  told: defineTable({ account: v.string(), day: v.number() }).index("by_account", [
    "account",
    "day",
  ]),
});
