// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const status = v.union(
  v.literal("pending"),
  v.literal("confirmed"),
  v.literal("rejected"),
  v.literal("unverified"),
);

export default defineSchema({
  reports: defineTable({
    station: v.string(),
    magnitude: v.number(),
    status,
  }),
});
