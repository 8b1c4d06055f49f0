// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const figures = v.union(v.literal("lining"), v.literal("oldstyle"), v.null());

export const settings = {
  tracking: v.optional(v.union(v.number(), v.null())),
  figures: v.optional(figures),
  caps: v.optional(v.union(v.literal("small"), v.literal("all"))),
};

export default defineSchema({
  styles: defineTable({
    name: v.string(),
    base: v.union(v.id("styles"), v.null()),
    ...settings,
  }).index("by_base_and_figures", ["base", "figures"]),
});
