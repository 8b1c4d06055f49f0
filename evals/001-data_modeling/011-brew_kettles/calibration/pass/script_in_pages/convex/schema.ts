// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const kettles = defineTable({
  name: v.string(),
  characters: v.number(),
  last: v.optional(v.object({ celsius: v.number(), litres: v.number(), at: v.number() })),
});

const pages = defineTable({ kettle: v.id("kettles"), number: v.number(), text: v.string() });

export default defineSchema({
  kettles,
  // A script is cut into pages.
  pages: pages.index("by_kettle_and_number", ["kettle", "number"]),
});
