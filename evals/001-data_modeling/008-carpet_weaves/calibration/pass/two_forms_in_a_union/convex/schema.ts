// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const units = ["cm", "in"] as const;
const weaves = ["flat", "pile", "mixed"] as const;

export const weave = v.union(...weaves.map((each) => v.literal(each)));
export const size = v.object({
  value: v.number(),
  unit: v.union(...units.map((each) => v.literal(each))),
});

const former = v.object({
  knotter: v.string(),
  width: v.number(),
  loomNumber: v.optional(v.number()),
  weave: v.optional(v.union()),
});
const current = v.object({ knotter: v.string(), width: size, weave });

export default defineSchema({
  carpets: defineTable(v.union(former, current)).index("weave", ["weave"]),
});
