import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const degrees = v.number();

export default defineSchema({
  sheets: defineTable({
    series: v.string(),
    number: v.string(),
    west: degrees,
    south: degrees,
    east: degrees,
    north: degrees,
    withdrawn: v.boolean(),
    scan: v.optional(v.string()),
  }).index("by_series", ["series"]),
});
