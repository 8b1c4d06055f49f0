// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

import { textFields } from "./lib/texts";

export default defineSchema({
  conferences: defineTable({
    name: v.string(),
    // Nothing is written in talks of a closed conference: see lib/rules.ts.
    isClosed: v.boolean(),
  }),

  talks: defineTable({
    ...textFields,
    conference: v.id("conferences"),
    // Absent as long as the talk has no room.
    room: v.optional(v.string()),
    // Grows by one with each change of the talk, whatever is changed: see lib/rules.ts.
    version: v.number(),
  }).index("by_conference", ["conference"]),
});
