// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  loans: defineTable({
    lender: v.string(),
    // Made by other people's software; what goes out is checked by what functions return.
    record: v.any(),
    insuredFor: v.number(),
    accepted: v.boolean(),
  }).index("by_lender", ["lender"]),
});
