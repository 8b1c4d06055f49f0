// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const loan = v.object({
  accepted: v.boolean(),
  insuredFor: v.float64(),
  lender: v.string(),
  record: v.any(),
});

export default defineSchema({ loans: defineTable(loan).index("lender", ["lender"]) });
