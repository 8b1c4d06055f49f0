// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const weave = v.union(v.literal("flat"), v.literal("pile"), v.literal("mixed"));

export const width = v.object({
  value: v.number(),
  unit: v.union(v.literal("cm"), v.literal("in")),
});

/** A width as clients and documents of either version have it. */
export const anyWidth = v.union(v.number(), width);

export default defineSchema({
  carpets: defineTable({
    knotter: v.string(),
    weave: v.optional(weave),
    width: anyWidth,
    // Only documents of the former version have one.
    loomNumber: v.optional(v.number()),
  }).index("by_weave", ["weave"]),
});
