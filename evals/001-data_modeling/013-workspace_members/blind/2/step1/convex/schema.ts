// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { member } from "./lib/members";
import { role } from "./lib/roles";

export default defineSchema({
  people: defineTable({ user: v.string(), name: v.string() }).index("by_user", ["user"]),

  /** Nobody is in more than 50 workspaces. */
  workspaces: defineTable({
    slug: v.string(),
    name: v.string(),
    /** Those that were not moved yet: they come behind those that have documents. */
    members: v.optional(v.array(member)),
    /** Without `members`. */
    isMoved: v.optional(v.literal(true)),
    /** How many members have documents, and how many seats these take. */
    size: v.optional(v.number()),
    seats: v.optional(v.number()),
  })
    .index("by_slug", ["slug"])
    .index("by_isMoved", ["isMoved"]),

  /** Change them by lib/members.ts only. */
  members: defineTable({
    ...member.fields,
    workspace: v.id("workspaces"),
    /** Who joined first comes first, but see `transfer` and `save`. */
    order: v.number(),
    /** By which the name is found. */
    key: v.string(),
  })
    .index("by_user", ["user"])
    .index("by_workspace_and_user", ["workspace", "user"])
    .index("by_workspace_and_order", ["workspace", "order"])
    .index("by_workspace_and_role", ["workspace", "role", "order"])
    .index("by_workspace_and_key", ["workspace", "key", "order"]),

  invites: defineTable({ workspace: v.id("workspaces"), token: v.string(), role })
    .index("by_token", ["token"])
    .index("by_workspace", ["workspace"]),

  /** An assignee is a member of the workspace, and has at most 100 pages there. */
  pages: defineTable({
    workspace: v.id("workspaces"),
    title: v.string(),
    assignee: v.optional(v.string()),
  }).index("by_workspace_and_assignee", ["workspace", "assignee"]),

  invoices: defineTable({ workspace: v.id("workspaces"), month: v.string(), seats: v.number() })
    .index("by_workspace_and_month", ["workspace", "month"]),
});
