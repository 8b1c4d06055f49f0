// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const maybeText = v.union(v.string(), v.null());
const maybeNumber = v.union(v.number(), v.null());

// The rows of the old database, table by table; `id` is the old id, NULL is null.
export default defineSchema({
  sites: defineTable({
    id: v.number(),
    name: v.string(),
    region: maybeText,
    opened: maybeText,
  }).index("by_number", ["id"]),

  items: defineTable({
    id: v.number(),
    sku: v.string(),
    title: maybeText,
    kind: maybeText,
    site: maybeNumber,
    daily: v.number(),
    weight: maybeNumber,
    stock: v.number(),
    retired: maybeText,
  }).index("by_number", ["id"]),

  bookings: defineTable({
    id: v.number(),
    item: v.number(),
    customer: maybeText,
    starts: v.string(),
    ends: maybeText,
    units: v.number(),
    state: maybeText,
    price: maybeNumber,
    deposit: maybeNumber,
    channel: maybeText,
    code: v.union(v.string(), v.number(), v.null()),
  })
    .index("by_number", ["id"])
    .index("by_item", ["item"]),

  movements: defineTable({
    id: v.number(),
    item: maybeNumber,
    day: v.string(),
    units: v.number(),
    reason: maybeText,
  })
    .index("by_number", ["id"])
    .index("by_item", ["item"]),
});
