// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const PEAKS = 8;

export default defineSchema({
  spectra: defineTable({
    mineral: v.string(),
    instrument: v.string(),
    peaks: v.array(v.float64()),
  }).vectorIndex("by_peaks", {
    vectorField: "peaks",
    dimensions: PEAKS,
    filterFields: ["instrument"],
  }),
});
