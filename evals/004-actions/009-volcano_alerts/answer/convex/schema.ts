// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const level = v.union(
  v.literal("green"),
  v.literal("yellow"),
  v.literal("orange"),
  v.literal("red"),
);

export default defineSchema({
  volcanoes: defineTable({ name: v.string(), level, sequence: v.number() }).index("by_name", [
    "name",
  ]),
  events: defineTable({ event: v.string() }).index("by_event", ["event"]),
  changes: defineTable({ volcano: v.string(), level, sequence: v.number() }),
});
