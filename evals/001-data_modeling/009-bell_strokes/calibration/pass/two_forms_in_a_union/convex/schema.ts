// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const stroke = v.object({ at: v.number(), force: v.number() });

const current = v.object({ name: v.string() });
const former = current.extend({ strokes: v.array(stroke) });

export default defineSchema({
  bells: defineTable(v.union(former, current)),
  strokes: defineTable(stroke.extend({ bell: v.id("bells") })).index("of_bell", ["bell", "at"]),
});
