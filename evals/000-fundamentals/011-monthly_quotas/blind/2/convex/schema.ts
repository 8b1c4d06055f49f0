// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const plan = v.union(v.literal("free"), v.literal("starter"), v.literal("pro"));

/** For what images counted. */
export const counted = v.object({ account: v.id("accounts"), month: v.string() });

/** What a request that was taken is told. */
export const reply = v.union(
  v.object({ image: v.id("images"), tags: v.array(v.string()) }),
  v.object({ batch: v.id("batches") }),
);

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

  /** How many images counted for an account in a month: the sum of its `projectMonths`. */
  accountMonths: defineTable({
    account: v.id("accounts"),
    month: v.string(),
    used: v.number(),
  }).index("by_account_and_month", ["account", "month"]),

  /** How many of them each project used. The project may be gone, or belong to another account. */
  projectMonths: defineTable({
    account: v.id("accounts"),
    month: v.string(),
    project: v.id("projects"),
    used: v.number(),
  })
    .index("by_account_and_month_and_project", ["account", "month", "project"])
    .index("by_project", ["project"]),

  /** The last names of projects that are gone, and counted in some month. */
  formerProjects: defineTable({
    project: v.id("projects"),
    name: v.string(),
  }).index("by_project", ["project"]),

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
    // Absent in batches that began before images were counted.
    counted: v.optional(counted),
  }).index("by_project_and_state", ["project", "state"]),

  /** Requests with an id that were taken, and their replies: see images/requests.ts. */
  requests: defineTable({
    project: v.id("projects"),
    request: v.string(),
    takenAt: v.number(),
    reply,
  })
    .index("by_project_and_request", ["project", "request"])
    .index("by_takenAt", ["takenAt"]),
});
