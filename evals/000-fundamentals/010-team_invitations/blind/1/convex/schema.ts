// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const role = v.union(
  v.literal("owner"),
  v.literal("admin"),
  v.literal("member"),
  v.literal("guest"),
);

export const plan = v.union(v.literal("free"), v.literal("team"), v.literal("business"));

export default defineSchema({
  /** People with an account. How they are found by their address: users/find.ts. */
  users: defineTable({
    token: v.string(),
    name: v.string(),
    email: v.string(),
    emailKey: v.optional(v.string()),
    verifiedAt: v.optional(v.number()),
  })
    .index("by_token", ["token"])
    .index("by_emailKey", ["emailKey"]),

  workspaces: defineTable({
    name: v.string(),
    plan,
    // How many of the members take a seat: see members/roster.ts.
    seatsTaken: v.number(),
    // Who has a verified address there may enter.
    domain: v.optional(v.string()),
    closedAt: v.optional(v.number()),
  }).index("by_closedAt", ["closedAt"]),

  members: defineTable({
    workspace: v.id("workspaces"),
    user: v.id("users"),
    role,
    // The digest of the invitation by which they joined, so that they can open its link again.
    invitation: v.optional(v.string()),
  })
    .index("by_workspace_and_user", ["workspace", "user"])
    .index("by_user", ["user"])
    .index("by_invitation", ["invitation"]),

  /** Invitations that nobody has accepted; whether one is good: see invitations/good.ts. */
  invitations: defineTable({
    workspace: v.id("workspaces"),
    email: v.string(),
    // The address as it is compared.
    emailKey: v.string(),
    role,
    sender: v.id("users"),
    // Of the token in the link, which only the mail tells.
    digest: v.string(),
    expiresAt: v.number(),
  })
    .index("by_digest", ["digest"])
    .index("by_emailKey", ["emailKey"])
    .index("by_expiresAt", ["expiresAt"])
    .index("by_workspace_and_emailKey", ["workspace", "emailKey"])
    .index("by_workspace_and_expiresAt", ["workspace", "expiresAt"]),

  pages: defineTable({
    workspace: v.id("workspaces"),
    title: v.string(),
    text: v.string(),
  }).index("by_workspace", ["workspace"]),

  /** Mails on their way, and those of the last days: see mails.ts. */
  mails: defineTable({
    to: v.string(),
    subject: v.string(),
    body: v.string(),
    secret: v.optional(v.string()),
    state: v.union(v.literal("waiting"), v.literal("sent"), v.literal("failed")),
    attempts: v.number(),
  }).index("by_to", ["to"]),

  activity: defineTable({
    workspace: v.id("workspaces"),
    text: v.string(),
    at: v.number(),
  }).index("by_workspace", ["workspace"]),
});
