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
