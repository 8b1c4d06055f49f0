// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const sounding = {
  ship: v.string(),
  at: v.number(),
  pressureHpa: v.number(),
  chart: v.optional(v.string()),
};

export default defineSchema({
  soundings: defineTable(sounding).index("log", ["ship", "at", "pressureHpa"]),
});
