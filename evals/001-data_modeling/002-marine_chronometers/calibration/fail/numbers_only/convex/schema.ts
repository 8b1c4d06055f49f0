// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  makers: defineTable({ name: v.string() }),
  chronometers: defineTable({
    serial: v.string(),
    maker: v.id("makers"),
    beats: v.number(),
    rate: v.float64(),
    seal: v.bytes(),
    running: v.boolean(),
    servicedAt: v.union(v.number(), v.null()),
  }).index("by_seal", ["seal"]),
});
