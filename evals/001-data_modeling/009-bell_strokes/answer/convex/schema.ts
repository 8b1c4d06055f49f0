// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const stroke = { at: v.number(), force: v.number() };

export default defineSchema({
  bells: defineTable({
    name: v.string(),
    // Only strokes that were reported before they had a table.
    strokes: v.optional(v.array(v.object(stroke))),
  }),
  strokes: defineTable({ bell: v.id("bells"), ...stroke }).index("by_bell_and_at", ["bell", "at"]),
});
