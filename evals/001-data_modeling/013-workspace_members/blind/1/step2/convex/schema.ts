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
    /** How many documents of `members` it has, and how many of them take a seat. */
    size: v.number(),
    seats: v.number(),
  }).index("by_slug", ["slug"]),

  /** Read and written by lib/members.ts alone, which also counts them. */
  members: defineTable({
    workspace: v.id("workspaces"),
    ...member.fields,
    /** The name in small letters, in a form that is sorted like names. */
    key: v.string(),
    /** Their order: who joined first comes first, but see `transfer` and `save`. */
    place: v.number(),
  })
    .index("by_user", ["user"])
    .index("by_workspace_and_user", ["workspace", "user"])
    .index("by_workspace_and_place", ["workspace", "place"])
    .index("by_workspace_and_role", ["workspace", "role", "place"])
    .index("by_workspace_and_key", ["workspace", "key", "place"]),

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
