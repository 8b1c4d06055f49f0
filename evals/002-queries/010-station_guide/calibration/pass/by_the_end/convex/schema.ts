// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const broadcast = { station: v.string(), title: v.string(), startsAt: v.number(), endsAt: v.number() };
const report = { station: v.string(), quality: v.number(), heardAt: v.number() };

export default defineSchema({
  broadcasts: defineTable(broadcast)
    .index("ends", ["station", "endsAt"])
    .index("starts", ["station", "startsAt"]),
  reports: defineTable(report).index("heard", ["station", "heardAt"]),
});
