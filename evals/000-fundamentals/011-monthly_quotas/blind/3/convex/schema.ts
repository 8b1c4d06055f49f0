// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const plan = v.union(v.literal("free"), v.literal("starter"), v.literal("pro"));

export default defineSchema({
  accounts: defineTable({
    owner: v.string(),
    name: v.string(),
    plan,
    // A smaller plan that was chosen, and the moment from which it holds: see accounts/limits.ts.
    next: v.optional(v.object({ plan, from: v.number() })),
  })
    .index("by_owner", ["owner"])
    .index("by_next", ["next.from"]),

  /** Images that support gave an account for one month. */
  gifts: defineTable({
    account: v.id("accounts"),
    month: v.string(),
    images: v.number(),
  }).index("by_account_and_month", ["account", "month"]),

  projects: defineTable({
    account: v.id("accounts"),
    name: v.string(),
    // Deleted for its users; jobs/purge.ts does the rest in the night.
    deletedAt: v.optional(v.number()),
  })
    .index("by_account", ["account"])
    .index("by_deletedAt", ["deletedAt"]),

  keys: defineTable({
    project: v.id("projects"),
    hash: v.string(),
    revokedAt: v.optional(v.number()),
  })
    .index("by_hash", ["hash"])
    .index("by_project", ["project"]),

  images: defineTable({
    project: v.id("projects"),
    url: v.string(),
    tags: v.array(v.string()),
  }).index("by_project", ["project"]),

  batches: defineTable({
    project: v.id("projects"),
    urls: v.array(v.string()),
    // The place of the next image in `urls`.
    next: v.number(),
    state: v.union(v.literal("running"), v.literal("done"), v.literal("stopped")),
    tagged: v.number(),
    failed: v.number(),
    // What its images counted for; absent in batches from before there was counting.
    counted: v.optional(v.object({ account: v.id("accounts"), month: v.string() })),
  }).index("by_project_and_state", ["project", "state"]),

  /** How many images counted for an account in a month: see usage/count.ts. */
  usedMonths: defineTable({
    account: v.id("accounts"),
    month: v.string(),
    used: v.number(),
  }).index("by_account_and_month", ["account", "month"]),

  /** The same for each project. It stays when the project is moved or deleted. */
  usedProjects: defineTable({
    account: v.id("accounts"),
    month: v.string(),
    project: v.id("projects"),
    used: v.number(),
  })
    .index("by_account_and_month_and_project", ["account", "month", "project"])
    .index("by_project", ["project"]),

  /** The last names of projects that counted and are gone. */
  formerProjects: defineTable({
    project: v.id("projects"),
    name: v.string(),
  }).index("by_project", ["project"]),

  /** Requests with an id that were taken, with their replies: see usage/requests.ts. */
  requests: defineTable({
    project: v.id("projects"),
    requestId: v.string(),
    at: v.number(),
    status: v.number(),
    body: v.string(),
  })
    .index("by_project_and_requestId_and_at", ["project", "requestId", "at"])
    .index("by_at", ["at"]),
});
