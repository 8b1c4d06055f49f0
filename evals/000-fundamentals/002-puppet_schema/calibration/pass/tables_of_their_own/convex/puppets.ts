// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineTable } from "convex/server";
import { v } from "convex/values";

const kind = v.union(...(["shadow", "rod", "glove", "marionette"] as const).map((k) => v.literal(k)));

export const puppets = defineTable({
  carver: v.nullable(v.string()),
  kind,
  number: v.string(),
  strings: v.optional(v.float64()),
})
  .index("kind_number", { fields: ["kind", "number"] })
  .index("number", { fields: ["number"] });
