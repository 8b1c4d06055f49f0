import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const numbered = { opera: v.string(), number: v.number(), text: v.string() };

export default defineSchema({
  lines: defineTable(numbered).index("opera", ["opera"]),
  surtitles: defineTable({ ...numbered, language: v.string() }).index("translation", [
    "language",
    "opera",
  ]),
});
