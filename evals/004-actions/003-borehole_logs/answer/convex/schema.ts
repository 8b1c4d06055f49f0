// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const interval = { fromM: v.number(), toM: v.number(), rock: v.string() };

export default defineSchema({
  intervals: defineTable({ hole: v.string(), ...interval }).index("by_hole_and_depth", [
    "hole",
    "fromM",
  ]),
});
