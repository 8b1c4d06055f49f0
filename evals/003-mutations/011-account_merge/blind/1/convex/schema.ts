// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const role = v.union(v.literal("member"), v.literal("guide"), v.literal("admin"));

// All amounts are whole cents.
export default defineSchema({
  riders: defineTable({
    name: v.string(),
    email: v.string(),
    // The sum of the rider's entries.
    credit: v.number(),
    // How many of the rider's notices are not read.
    unread: v.number(),
    // The rider whom this account is a part of, if it was merged.
    mergedInto: v.optional(v.id("riders")),
    // Whether rows may still name this account, although it was merged.
    isMoving: v.optional(v.boolean()),
  })
    .index("by_merged_into", ["mergedInto", "isMoving"])
    .index("by_moving", ["isMoving"]),

  /** Who may sign in as a rider: one login, or a few. */
  logins: defineTable({
    subject: v.string(),
    rider: v.id("riders"),
  })
    .index("by_subject", ["subject"])
    .index("by_rider", ["rider"]),

  clubs: defineTable({
    name: v.string(),
    owner: v.id("riders"),
    // The number of memberships.
    size: v.number(),
  }).index("by_owner", ["owner"]),

  /** A rider is in at most fifty clubs. */
  memberships: defineTable({
    club: v.id("clubs"),
    rider: v.id("riders"),
    role,
  })
    .index("by_club_and_rider", ["club", "rider"])
    .index("by_rider", ["rider"]),

  /** A rider is banned from at most five clubs. */
  bans: defineTable({
    club: v.id("clubs"),
    rider: v.id("riders"),
  })
    .index("by_club_and_rider", ["club", "rider"])
    .index("by_rider", ["rider"]),

  /** A club has at most thirty rides that have not started. */
  rides: defineTable({
    club: v.id("clubs"),
    title: v.string(),
    guide: v.id("riders"),
    startsAt: v.number(),
    places: v.number(),
    price: v.number(),
    // The number of sign-ups that are going.
    going: v.number(),
  })
    .index("by_club_and_start", ["club", "startsAt"])
    .index("by_guide", ["guide"]),

  signups: defineTable({
    ride: v.id("rides"),
    rider: v.id("riders"),
    state: v.union(v.literal("going"), v.literal("waiting")),
    since: v.number(),
    // What the rider has paid for it: the ride's price at that time.
    paid: v.number(),
    // The job that reminds the rider.
    reminder: v.optional(v.id("_scheduled_functions")),
    // Whether the rider was reminded.
    isReminded: v.optional(v.boolean()),
  })
    .index("by_ride_and_rider", ["ride", "rider"])
    .index("by_ride_and_state", ["ride", "state", "since"])
    .index("by_rider", ["rider"]),

  entries: defineTable({
    rider: v.id("riders"),
    amount: v.number(),
    text: v.string(),
  }).index("by_rider", ["rider"]),

  notices: defineTable({
    rider: v.id("riders"),
    text: v.string(),
    isRead: v.boolean(),
  }).index("by_rider", ["rider"]),

  topUps: defineTable({
    rider: v.id("riders"),
    amount: v.number(),
    state: v.union(v.literal("open"), v.literal("done"), v.literal("failed")),
  }).index("by_rider", ["rider"]),
});
