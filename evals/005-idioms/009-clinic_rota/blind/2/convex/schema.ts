// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  clinics: defineTable({
    name: v.string(),
    // Whoever has the code can join.
    code: v.string(),
    // The key of the tablet at the entrance.
    kioskKey: v.string(),
  }).index("by_code", ["code"]),

  // Who works at a clinic. People may work at several. Who leaves keeps the row, with `leftAt`,
  // because old rotas show the name; who joins again later gets another row.
  members: defineTable({
    clinic: v.id("clinics"),
    token: v.string(),
    name: v.string(),
    role: v.union(v.literal("admin"), v.literal("member")),
    leftAt: v.optional(v.number()),
  }).index("by_clinic", ["clinic", "token"]),

  shifts: defineTable({
    clinic: v.id("clinics"),
    member: v.id("members"),
    day: v.string(),
    hours: v.number(),
    note: v.string(),
    reminded: v.boolean(),
  })
    .index("by_clinic", ["clinic", "day"])
    .index("by_day", ["day"])
    .index("by_member", ["member", "day"])
    .searchIndex("search_note", { searchField: "note", filterFields: ["clinic"] }),

  swaps: defineTable({
    shift: v.id("shifts"),
    // Whose shift it was when it was offered. Absent in older offers.
    from: v.optional(v.id("members")),
    to: v.id("members"),
    state: v.union(v.literal("open"), v.literal("accepted"), v.literal("declined")),
  }).index("by_to", ["to", "state"]),

  absences: defineTable({ member: v.id("members"), day: v.string(), reason: v.string() })
    .index("by_member", ["member", "day"])
    .index("by_day", ["day"]),

  papers: defineTable({ clinic: v.id("clinics"), title: v.string(), file: v.id("_storage") })
    .index("by_clinic", ["clinic"])
    .index("by_file", ["file"]),

  notices: defineTable({ clinic: v.id("clinics"), text: v.string() }).index("by_clinic", ["clinic"]),

  // Links for calendars.
  feeds: defineTable({ member: v.id("members"), secret: v.string() })
    .index("by_secret", ["secret"])
    .index("by_member", ["member"]),
});
