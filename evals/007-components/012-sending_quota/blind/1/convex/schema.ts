// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const channel = v.union(v.literal("mails"), v.literal("texts"));

export default defineSchema({
  workspaces: defineTable({
    name: v.string(),
    isSuspended: v.boolean(),
    // With this the workspace's own programs send: see http.ts.
    apiKey: v.string(),
  }).index("by_api_key", ["apiKey"]),

  members: defineTable({
    workspace: v.id("workspaces"),
    user: v.string(),
    isAdmin: v.boolean(),
  }).index("by_workspace", ["workspace", "user"]),

  /** Addresses to which a workspace sends nothing any more. */
  blocks: defineTable({ workspace: v.id("workspaces"), address: v.string() }).index(
    "by_workspace",
    ["workspace", "address"],
  ),

  messages: defineTable({
    workspace: v.id("workspaces"),
    channel,
    to: v.string(),
    text: v.string(),
    // How much of the quota it took.
    parts: v.number(),
    // Of which day's quota, counted from 1 January 1970. Older messages took it when they were made.
    day: v.optional(v.number()),
    isBounced: v.boolean(),
  }).index("by_workspace", ["workspace"]),

  /** Messages that are sent later: see reminders.ts. */
  reminders: defineTable({
    workspace: v.id("workspaces"),
    channel,
    to: v.string(),
    text: v.string(),
    at: v.number(),
  }).index("by_at", ["at"]),

  notices: defineTable({
    workspace: v.id("workspaces"),
    channel,
    user: v.string(),
  }).index("by_workspace", ["workspace"]),
});
