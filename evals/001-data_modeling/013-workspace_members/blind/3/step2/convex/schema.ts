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
    /** Left from the move of the members to their table; it means nothing any more. */
    isMoved: v.optional(v.boolean()),
    /** How many members there are, and how many of them take a seat or are owners. */
    size: v.number(),
    seats: v.number(),
    owners: v.number(),
  }).index("by_slug", ["slug"]),

  /** Written by lib/members.ts only. */
  members: defineTable({
    workspace: v.id("workspaces"),
    ...member.fields,
    /** The order in the workspace: who joined first comes first, but see `transfer` and `save`. */
    rank: v.number(),
    /** The name in a form to search and sort by, see `keyOf`. */
    key: v.string(),
  })
    .index("by_workspace", ["workspace", "rank"])
    .index("by_workspace_and_key", ["workspace", "key", "rank"])
    .index("by_workspace_and_role", ["workspace", "role", "rank"])
    .index("by_user", ["user", "workspace"]),

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
