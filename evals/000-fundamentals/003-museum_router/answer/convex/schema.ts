// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  rooms: defineTable({
    code: v.string(),
    title: v.string(),
    open: v.boolean(),
    visits: v.number(),
  })
    .index("by_code", ["code"])
    .index("by_open_and_code", ["open", "code"]),
});
