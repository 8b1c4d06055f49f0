// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const described = {
  number: v.string(),
  kind: v.union(v.literal("marionette"), v.literal("glove"), v.literal("rod"), v.literal("shadow")),
};
const carved = { carver: v.union(v.null(), v.string()) };

// A puppet with strings and one of which they are not counted.
const puppet = v.union(
  v.object({ ...described, ...carved, strings: v.number() }),
  v.object({ ...described, ...carved }),
);

const puppets = defineTable(puppet);
puppets.index("numbers", ["number"]);
puppets.index("kinds", ["kind", "number"]);

const repairs = defineTable({
  puppet: v.id("puppets"),
  day: v.string(),
  parts: v.array(v.string()),
  costCents: v.number(),
});
repairs.index("of_puppet", ["puppet", "day"]);

export default defineSchema({ puppets, repairs });
