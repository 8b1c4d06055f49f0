// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of visitors' parking permits
 *
 * Times are Unix milliseconds. Days are those of UTC and begin at midnight. Amounts are whole
 * cents.
 *
 * Refusals are `ConvexError`s whose data are the quoted texts; a refused call changes nothing.
 * Whoever is not signed in is refused everything ("not signed in"), before anything else is
 * looked at. If a call breaks several other rules, the refusal may be that of any of them. What
 * does not exist is "not found".
 *
 * The rules of people stand in model/session.ts, of permits in permits.ts, of money in
 * model/prices.ts, of places and lines in line.ts, of notices in notices.ts.
 */
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const noticeKind = v.union(
  v.literal("offer"),
  v.literal("ends soon"),
  v.literal("ended"),
);

export default defineSchema({
  zones: defineTable({ name: v.string(), places: v.number(), fee: v.number() }),

  permits: defineTable({
    zone: v.id("zones"),
    owner: v.string(),
    plate: v.string(),
    boughtAt: v.number(),
    // A permit that was cancelled ends at that moment.
    ends: v.number(),
    days: v.number(),
    paid: v.number(),
  })
    .index("by_owner", ["owner", "ends"])
    .index("by_zone", ["zone", "ends"])
    .index("by_plate", ["zone", "plate", "ends"]),

  waiting: defineTable({
    zone: v.id("zones"),
    owner: v.string(),
    offerEnds: v.optional(v.number()),
  })
    .index("by_zone", ["zone"])
    .index("by_owner", ["owner", "zone"]),

  payments: defineTable({
    at: v.number(),
    // Below zero for what was paid back.
    amount: v.number(),
  }).index("by_at", ["at"]),

  notices: defineTable({
    owner: v.string(),
    zone: v.id("zones"),
    kind: noticeKind,
  }).index("by_owner", ["owner"]),
});
