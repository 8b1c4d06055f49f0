// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const spectra = defineTable({
  mineral: v.string(),
  instrument: v.string(),
  peaks: v.array(v.number()),
}).vectorIndex("likeness", {
  vectorField: "peaks",
  dimensions: 8,
  filterFields: ["instrument", "mineral"],
});

export default defineSchema({ spectra });
