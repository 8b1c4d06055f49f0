// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { storedPrice } from "./lib/prices";

export default defineSchema({
  /** What is on sale. A sku is in `products` or in `withdrawn`, never in both. */
  products: defineTable({
    sku: v.string(),
    name: v.string(),
    shelf: v.string(),
    price: storedPrice,
  })
    .index("by_sku", ["sku"])
    .index("by_shelf_and_price", ["shelf", "price"]),

  /** What was taken off the shelves, and may come back. */
  withdrawn: defineTable({
    sku: v.string(),
    name: v.string(),
    shelf: v.string(),
    price: storedPrice,
    reason: v.string(),
  }).index("by_sku", ["sku"]),

  /** Each price that a product ever got. The tax office wants it complete. */
  priceLog: defineTable({ sku: v.string(), price: storedPrice, by: v.string() }).index("by_sku", [
    "sku",
  ]),

  /** A line keeps the price at which it was ordered. */
  orders: defineTable({
    customer: v.string(),
    status: v.union(v.literal("open"), v.literal("paid"), v.literal("cancelled")),
    lines: v.array(
      v.object({
        sku: v.string(),
        name: v.string(),
        quantity: v.number(),
        price: storedPrice,
      }),
    ),
    /** Set by the next step where all lines are converted. This one never sets it. */
    inCents: v.optional(v.literal(true)),
  })
    .index("by_customer", ["customer"])
    .index("by_status", ["status"]),

  /** "Tell me when it costs so much, or less." */
  alerts: defineTable({ customer: v.string(), sku: v.string(), price: storedPrice })
    .index("by_customer_and_sku", ["customer", "sku"])
    .index("by_sku_and_price", ["sku", "price"]),

  /** The price of which a customer was told. */
  notices: defineTable({ customer: v.string(), sku: v.string(), price: storedPrice }).index(
    "by_customer",
    ["customer"],
  ),
});
