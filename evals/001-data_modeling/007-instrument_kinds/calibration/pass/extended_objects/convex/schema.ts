// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { instrument } from "./kinds";

const instruments = defineTable(instrument)
  .index("strings", ["strings"])
  .index("kind", ["kind", "acquired"]);

export default defineSchema({ instruments });
