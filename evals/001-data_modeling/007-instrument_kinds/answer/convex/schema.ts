// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const strung = {
  kind: v.literal("string"),
  strings: v.number(),
  tuning: v.array(v.string()),
};

const blown = {
  kind: v.literal("wind"),
  bore: v.union(v.literal("conical"), v.literal("cylindrical")),
  reed: v.union(v.literal("single"), v.literal("double"), v.null()),
};

const struck = {
  kind: v.literal("percussion"),
  pitched: v.boolean(),
  head: v.optional(v.string()),
};

const common = { inventory: v.string(), acquired: v.number() };

export const classification = v.union(v.object(strung), v.object(blown), v.object(struck));

export const instrument = v.union(
  v.object({ ...common, ...strung }),
  v.object({ ...common, ...blown }),
  v.object({ ...common, ...struck }),
);

export default defineSchema({
  instruments: defineTable(instrument)
    .index("by_kind_and_acquired", ["kind", "acquired"])
    .index("by_strings", ["strings"]),
});
