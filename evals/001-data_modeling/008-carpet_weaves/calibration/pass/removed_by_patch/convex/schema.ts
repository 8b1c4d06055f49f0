// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { weave, width } from "./lists";

export const fields = { knotter: v.string(), width, weave: v.optional(weave) };

export default defineSchema({
  carpets: defineTable({ ...fields, loomNumber: v.optional(v.number()) }).index("by_weave", [
    "weave",
  ]),
});
