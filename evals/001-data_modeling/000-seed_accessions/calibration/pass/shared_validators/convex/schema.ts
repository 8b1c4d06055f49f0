import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { accession } from "./validators";

export default defineSchema({
  accessions: defineTable(accession),
  shelves: defineTable({ code: v.string() }),
});
