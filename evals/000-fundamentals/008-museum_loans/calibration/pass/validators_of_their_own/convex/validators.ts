// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import schema from "./schema";

const states = ["sound", "worn", "damaged"] as const;

/** A record as everybody has agreed on it. */
export const agreedRecord = v.object({
  title: v.string(),
  maker: v.nullable(v.string()),
  year: v.optional(v.float64()),
  state: v.union(...states.map((state) => v.literal(state))),
  parts: v.array(v.object({ name: v.string(), count: v.float64() })),
  sizes: v.record(v.string(), v.float64()),
});

/** A whole document, with what Convex adds to it, and a record that may go out. */
export const dossier = schema.tables.loans.validator.extend({
  _id: v.id("loans"),
  _creationTime: v.number(),
  record: agreedRecord,
});
