// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  calls: defineTable({
    harbour: v.string(),
    dueAt: v.number(),
    imo: v.string(),
  }).index("by_harbour_and_dueAt", ["harbour", "dueAt"]),
  ships: defineTable({
    imo: v.string(),
    name: v.string(),
    owner: v.optional(v.id("owners")),
  }).index("by_imo", ["imo"]),
  owners: defineTable({
    name: v.string(),
    agent: v.union(v.id("agents"), v.null()),
  }),
  agents: defineTable({ name: v.string(), phone: v.string() }),
});
