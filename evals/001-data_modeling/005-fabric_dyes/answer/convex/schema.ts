// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  fabrics: defineTable({ name: v.string() }),
  dyes: defineTable({ name: v.string() }),
  trials: defineTable({
    fabric: v.id("fabrics"),
    dye: v.id("dyes"),
    minutes: v.number(),
  })
    // by_fabric orders by age, which the index of the pair does not.
    .index("by_fabric", ["fabric"])
    .index("by_dye", ["dye"])
    .index("by_fabric_and_dye", ["fabric", "dye"]),
});
