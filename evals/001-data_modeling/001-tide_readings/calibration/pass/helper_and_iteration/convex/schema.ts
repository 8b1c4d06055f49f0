import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const stations = defineTable({ name: v.string() });

const readings = defineTable({
  station: v.id("stations"),
  takenAt: v.number(),
  levelMm: v.number(),
  trace: v.optional(v.string()),
}).index("timeline", ["station", "takenAt"]);

export default defineSchema({ stations, readings });
