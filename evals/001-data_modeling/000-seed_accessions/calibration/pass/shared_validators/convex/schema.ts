// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { accession } from "./validators";

export default defineSchema({
  accessions: defineTable(accession),
  shelves: defineTable({ code: v.string() }),
});
