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
