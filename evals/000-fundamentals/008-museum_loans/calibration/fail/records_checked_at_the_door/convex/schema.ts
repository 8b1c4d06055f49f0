// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  loans: defineTable({
    lender: v.string(),
    // Made by other people's software; what goes out is checked by what functions return.
    record: v.object({ title: v.string(), maker: v.union(v.string(), v.null()), year: v.optional(v.number()), state: v.union(v.literal("sound"), v.literal("worn"), v.literal("damaged")), parts: v.array(v.object({ name: v.string(), count: v.number() })), sizes: v.record(v.string(), v.number()) }),
    insuredFor: v.number(),
    accepted: v.boolean(),
  }).index("by_lender", ["lender"]),
});
