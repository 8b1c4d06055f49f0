// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

const calls = defineTable({ harbour: v.string(), dueAt: v.number(), imo: v.string() });
const ships = defineTable({ imo: v.string(), name: v.string(), owner: v.optional(v.id("owners")) });
const owners = defineTable({ name: v.string(), agent: v.nullable(v.id("agents")) });
const agents = defineTable({ name: v.string(), phone: v.string() });

export default defineSchema({
  calls: calls.index("harbour", ["harbour", "dueAt", "imo"]),
  ships: ships.index("imo", ["imo", "name"]),
  owners,
  agents,
});
