// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const measured = v.object({ celsius: v.number(), litres: v.number(), at: v.number() });

export default defineSchema({
  kettles: defineTable({ name: v.string(), scriptLength: v.number() }),
  // Written every second, and only there once something was measured.
  measurements: defineTable(measured.extend({ kettle: v.id("kettles") })).index("by_kettle", [
    "kettle",
  ]),
  scripts: defineTable({ kettle: v.id("kettles"), script: v.string() }).index("by_kettle", [
    "kettle",
  ]),
});
