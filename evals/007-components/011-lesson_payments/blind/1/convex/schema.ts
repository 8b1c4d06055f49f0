// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const lessonState = v.union(v.literal("booked"), v.literal("cancelled"), v.literal("done"));

// Prices and rates are whole cents.
export default defineSchema({
  users: defineTable({
    subject: v.string(),
    name: v.string(),
    // The id of the user's account in the purse.
    account: v.string(),
  }).index("by_subject", ["subject"]),

  tutors: defineTable({
    user: v.id("users"),
    // Cents an hour; 0 for those who teach for nothing.
    rate: v.number(),
  }).index("by_user", ["user"]),

  lessons: defineTable({
    tutor: v.id("tutors"),
    student: v.id("users"),
    // The tutor's rate when the lesson was booked.
    rate: v.number(),
    start: v.number(),
    minutes: v.number(),
    end: v.number(),
    state: lessonState,
    // How often its price was held; absent if it was booked before that, and is paid in cash.
    holds: v.optional(v.number()),
    // The hold in the purse of a booked lesson that costs something.
    hold: v.optional(v.string()),
  })
    .index("by_student", ["student"])
    .index("by_tutor_and_start", ["tutor", "start"])
    .index("by_state_and_end", ["state", "end"])
    .index("by_hold", ["hold"]),
});
