// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
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
