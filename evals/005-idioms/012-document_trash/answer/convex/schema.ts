// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const status = v.union(v.literal("draft"), v.literal("published"), v.literal("archived"));

export default defineSchema({
  workspaces: defineTable({
    name: v.string(),
    plan: v.union(v.literal("free"), v.literal("team")),
    // The key of what reads and writes without signing in: feed, export, replies by mail.
    key: v.string(),
    // How many documents there are, and the bytes of their attachments.
    documentCount: v.number(),
    bytes: v.number(),
    // The number of the next document. Numbers are never given twice.
    nextNumber: v.number(),
  }).index("by_key", ["key"]),

  members: defineTable({
    workspace: v.id("workspaces"),
    user: v.string(),
    name: v.string(),
    role: v.union(v.literal("admin"), v.literal("member")),
    // How many documents the member owns.
    documentCount: v.number(),
    // How many mentions the member has not read.
    unread: v.number(),
    // In the member's own order.
    favorites: v.array(v.id("documents")),
    lastOpened: v.optional(v.id("documents")),
  })
    .index("by_user", ["user", "workspace"])
    .index("by_workspace", ["workspace", "name"]),

  folders: defineTable({
    workspace: v.id("workspaces"),
    name: v.string(),
    documentCount: v.number(),
  }).index("by_workspace", ["workspace", "name"]),

  documents: defineTable({
    workspace: v.id("workspaces"),
    number: v.number(),
    // What stands in addresses and in [[references]]; unique in a workspace.
    slug: v.string(),
    title: v.string(),
    body: v.string(),
    owner: v.id("members"),
    ownerName: v.string(),
    // Documents at the top level have no folder; those of 2023 have null. Documents below
    // another one have none either.
    folder: v.optional(v.union(v.id("folders"), v.null())),
    folderName: v.optional(v.string()),
    parent: v.optional(v.id("documents")),
    // Absent in documents that never had one below them.
    childCount: v.optional(v.number()),
    // The names of the tags, by the alphabet. Absent in documents that never had one.
    tags: v.optional(v.array(v.string())),
    // Documents from before there were drafts have none: they are published.
    status: v.optional(status),
    publishAt: v.optional(v.number()),
    publishJob: v.optional(v.id("_scheduled_functions")),
    updatedAt: v.number(),
    words: v.number(),
    commentCount: v.number(),
    // The bytes of the attachments. Absent in documents that never had one.
    bytes: v.optional(v.number()),
    // In the trash: since when, and with which document. Both are absent elsewhere.
    trashedAt: v.optional(v.number()),
    trashedWith: v.optional(v.id("documents")),
  })
    .index("by_title", ["workspace", "trashedAt", "title"])
    .index("by_trash", ["trashedWith"])
    .index("by_number", ["workspace", "number"])
    .index("by_slug", ["workspace", "slug", "trashedAt"])
    .index("by_folder", ["workspace", "folder", "title"])
    .index("by_parent", ["parent", "title"])
    .index("by_owner", ["owner"])
    .index("by_updated", ["workspace", "updatedAt"])
    .index("by_status", ["workspace", "status", "updatedAt"])
    .index("by_age", ["status", "updatedAt"])
    .searchIndex("search_body", { searchField: "body", filterFields: ["workspace"] }),

  // What members wrote over: the text before each edit.
  revisions: defineTable({
    document: v.id("documents"),
    member: v.id("members"),
    title: v.string(),
    body: v.string(),
  })
    .index("by_document", ["document"])
    .index("by_member", ["member"]),

  // One for each [[slug]] in a body, whether there is such a document or not.
  references: defineTable({
    workspace: v.id("workspaces"),
    from: v.id("documents"),
    slug: v.string(),
  })
    .index("by_from", ["from", "slug"])
    .index("by_slug", ["workspace", "slug"]),

  tags: defineTable({
    workspace: v.id("workspaces"),
    name: v.string(),
    color: v.string(),
    // How many documents have it. A tag that only documents in the trash have is kept with 0, and
    // counts as gone; one that no document has is deleted.
    count: v.number(),
  }).index("by_name", ["workspace", "name"]),

  taggings: defineTable({ tag: v.id("tags"), document: v.id("documents") })
    .index("by_tag", ["tag", "document"])
    .index("by_document", ["document"]),

  comments: defineTable({
    document: v.id("documents"),
    author: v.id("members"),
    authorName: v.string(),
    text: v.string(),
  })
    .index("by_document", ["document"])
    .index("by_author", ["author"]),

  mentions: defineTable({
    member: v.id("members"),
    document: v.id("documents"),
    comment: v.id("comments"),
    read: v.boolean(),
  })
    .index("by_member", ["member", "read"])
    .index("by_comment", ["comment"])
    .index("by_document", ["document"]),

  // The same file is kept once in a workspace, however often it is attached.
  attachments: defineTable({
    workspace: v.id("workspaces"),
    document: v.id("documents"),
    name: v.string(),
    file: v.id("_storage"),
    sha256: v.string(),
    size: v.number(),
  })
    .index("by_document", ["document"])
    .index("by_hash", ["workspace", "sha256"])
    .index("by_file", ["file"]),

  // Addresses for readers from outside: /s?token=…
  links: defineTable({
    workspace: v.id("workspaces"),
    document: v.id("documents"),
    token: v.string(),
    views: v.number(),
  })
    .index("by_token", ["token"])
    .index("by_workspace", ["workspace"])
    .index("by_document", ["document"]),

  reminders: defineTable({
    document: v.id("documents"),
    member: v.id("members"),
    text: v.string(),
    at: v.number(),
    job: v.id("_scheduled_functions"),
  })
    .index("by_member", ["member", "at"])
    .index("by_document", ["document"]),

  notices: defineTable({ member: v.id("members"), text: v.string() }).index("by_member", ["member"]),

  activities: defineTable({
    workspace: v.id("workspaces"),
    document: v.id("documents"),
    kind: v.string(),
  })
    .index("by_workspace", ["workspace"])
    .index("by_document", ["document"]),

  hooks: defineTable({ workspace: v.id("workspaces"), url: v.string() }).index("by_workspace", [
    "workspace",
  ]),
});
