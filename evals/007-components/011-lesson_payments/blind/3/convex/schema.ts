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
  })
    .index("by_student", ["student"])
    .index("by_tutor_and_start", ["tutor", "start"])
    .index("by_state_and_end", ["state", "end"]),

  // One for each lesson that is paid from the wallet; lessons without one are paid in cash.
  payments: defineTable({
    lesson: v.id("lessons"),
    // The hold in the purse; absent while the lesson costs nothing.
    hold: v.optional(v.string()),
    // How many holds there have been: each takes a reference of its own.
    holds: v.number(),
  })
    .index("by_lesson", ["lesson"])
    .index("by_hold", ["hold"]),
});
