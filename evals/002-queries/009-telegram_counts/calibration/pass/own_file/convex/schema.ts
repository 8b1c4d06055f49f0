// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const waits = v.object({ office: v.string(), addressee: v.string(), words: v.number() });
export const sums = v.object({ telegrams: v.number(), words: v.number() });

export default defineSchema({
  telegrams: defineTable(waits),
  ledger: defineTable({ office: v.string(), sums }).index("office", ["office"]),
});
