// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineTable } from "convex/server";
import { v } from "convex/values";

const fields = v.object({
  puppet: v.id("puppets"),
  day: v.string(),
  parts: v.array(v.string()),
  costCents: v.float64(),
});

export const repairs = defineTable(fields).index("days", ["puppet", "day"]);
