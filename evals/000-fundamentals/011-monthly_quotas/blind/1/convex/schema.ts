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

  /** How many images counted for an account in a month: see usage/count.ts. */
  usage: defineTable({
    account: v.id("accounts"),
    month: v.string(),
    used: v.number(),
  }).index("by_account_and_month", ["account", "month"]),

  /** The same of each project, which may be gone by now. */
  projectUsage: defineTable({
    account: v.id("accounts"),
    month: v.string(),
    project: v.id("projects"),
    used: v.number(),
  }).index("by_account_and_month_and_project", ["account", "month", "project"]),

  projects: defineTable({
    account: v.id("accounts"),
    name: v.string(),
    // Deleted for its users; jobs/purge.ts does the rest in the night.
    deletedAt: v.optional(v.number()),
  })
    .index("by_account", ["account"])
    .index("by_deletedAt", ["deletedAt"]),

  /** The last names of projects that are gone. */
  formerProjects: defineTable({
    project: v.id("projects"),
    name: v.string(),
  }).index("by_project", ["project"]),

  keys: defineTable({
    project: v.id("projects"),
    hash: v.string(),
    revokedAt: v.optional(v.number()),
  })
    .index("by_hash", ["hash"])
    .index("by_project", ["project"]),

  /** Requests with an id that were taken, and the replies to them: see requests/replies.ts. */
  requests: defineTable({
    project: v.id("projects"),
    request: v.string(),
    at: v.number(),
    status: v.number(),
    text: v.string(),
  })
    .index("by_project_and_request", ["project", "request"])
    .index("by_at", ["at"]),

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
    // Where its images counted; absent in batches from before images were counted.
    counted: v.optional(v.object({ account: v.id("accounts"), month: v.string() })),
  }).index("by_project_and_state", ["project", "state"]),
});
