// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const aircraftFields = {
  drawing: v.optional(v.string()),
  mark: v.optional(v.string()),
  serial: v.string(),
  type: v.string(),
};

const aircraft = defineTable(aircraftFields).index("marks", ["mark", "serial"]);

export default defineSchema({ aircraft });
