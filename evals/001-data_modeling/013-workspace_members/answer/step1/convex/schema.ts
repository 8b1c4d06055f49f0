// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { member } from "./lib/member";
import { role } from "./lib/roles";

export default defineSchema({
  people: defineTable({ user: v.string(), name: v.string() }).index("by_user", ["user"]),

  /** Nobody is in more than 50 workspaces. */
  workspaces: defineTable({
    slug: v.string(),
    name: v.string(),
    /** Members who were not moved yet. They come after all that have been. */
    members: v.optional(v.array(member)),
    moved: v.optional(v.literal(true)),
    /** How many documents of `members` there are, and how many of these take a seat. */
    size: v.optional(v.number()),
    seats: v.optional(v.number()),
  })
    .index("by_slug", ["slug"])
    .index("by_moved", ["moved"]),

  /** In the order of `place`: who joined first comes first, but see `transfer` and `save`. */
  members: defineTable({
    ...member.fields,
    workspace: v.id("workspaces"),
    place: v.number(),
    /** The name in small letters. */
    key: v.string(),
  })
    .index("by_user", ["user"])
    .index("by_workspace_and_user", ["workspace", "user"])
    .index("by_workspace_and_place", ["workspace", "place"])
    .index("by_workspace_and_role_and_place", ["workspace", "role", "place"])
    .index("by_workspace_and_key_and_place", ["workspace", "key", "place"]),

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
