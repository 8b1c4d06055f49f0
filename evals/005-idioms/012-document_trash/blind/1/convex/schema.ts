// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export const status = v.union(v.literal("draft"), v.literal("published"), v.literal("archived"));

// Set in what belongs to a document in the trash, where it is not found by its document alone.
const trashed = v.optional(v.literal(true));

export default defineSchema({
  workspaces: defineTable({
    name: v.string(),
    plan: v.union(v.literal("free"), v.literal("team")),
    // The key of what reads and writes without signing in: feed, export, replies by mail.
    key: v.string(),
    // How many documents there are, and the bytes of their attachments. The trash does not count.
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
    // How many documents the member owns. The trash does not count.
    documentCount: v.number(),
    // How many mentions the member has not read. The trash does not count.
    unread: v.number(),
    // In the member's own order. Those in the trash keep their places.
    favorites: v.array(v.id("documents")),
    lastOpened: v.optional(v.id("documents")),
  })
    .index("by_user", ["user", "workspace"])
    .index("by_workspace", ["workspace", "name"]),

  folders: defineTable({
    workspace: v.id("workspaces"),
    name: v.string(),
    // The trash does not count.
    documentCount: v.number(),
  }).index("by_workspace", ["workspace", "name"]),

  documents: defineTable({
    workspace: v.id("workspaces"),
    number: v.number(),
    // What stands in addresses and in [[references]]; unique in a workspace, but for the trash.
    slug: v.string(),
    title: v.string(),
    // Empty in the trash, so that no search finds it there.
    body: v.string(),
    owner: v.id("members"),
    ownerName: v.string(),
    // Documents at the top level have no folder; those of 2023 have null. Documents below
    // another one have none either. In the trash, folder and parent may be gone.
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
    // With what it is in the trash; only documents in the trash have it.
    trash: v.optional(v.id("trash")),
    // The body of a document in the trash.
    trashedBody: v.optional(v.string()),
  })
    .index("by_title", ["workspace", "trash", "title"])
    .index("by_number", ["workspace", "trash", "number"])
    .index("by_slug", ["workspace", "trash", "slug"])
    .index("by_folder", ["workspace", "folder", "trash", "title"])
    .index("by_parent", ["parent", "trash", "title"])
    .index("by_owner", ["owner"])
    .index("by_updated", ["workspace", "trash", "updatedAt"])
    .index("by_status", ["workspace", "trash", "status", "updatedAt"])
    .index("by_age", ["trash", "status", "updatedAt"])
    .index("by_trash", ["trash"])
    .searchIndex("search_body", { searchField: "body", filterFields: ["workspace"] }),

  // One for each document that was removed itself; what was removed with it refers to the same.
  trash: defineTable({
    workspace: v.id("workspaces"),
    document: v.id("documents"),
    title: v.string(),
    removedAt: v.number(),
  }).index("by_workspace", ["workspace"]),

  // What members wrote over: the text before each edit.
  revisions: defineTable({
    document: v.id("documents"),
    member: v.id("members"),
    title: v.string(),
    body: v.string(),
    trashed,
  })
    .index("by_document", ["document"])
    .index("by_member", ["member", "trashed"]),

  // One for each [[slug]] in a body, whether there is such a document or not.
  references: defineTable({
    workspace: v.id("workspaces"),
    from: v.id("documents"),
    slug: v.string(),
    trashed,
  })
    .index("by_from", ["from", "slug"])
    .index("by_slug", ["workspace", "trashed", "slug"]),

  tags: defineTable({
    workspace: v.id("workspaces"),
    name: v.string(),
    color: v.string(),
    // How many documents have it. The trash does not count: a tag that only documents in the
    // trash have is kept for them with a count of 0, and is shown nowhere. A tag that no document
    // has is deleted.
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
    trashed,
  })
    .index("by_document", ["document"])
    .index("by_author", ["author", "trashed"]),

  mentions: defineTable({
    member: v.id("members"),
    document: v.id("documents"),
    comment: v.id("comments"),
    read: v.boolean(),
    trashed,
  })
    .index("by_member", ["member", "trashed", "read"])
    .index("by_comment", ["comment"])
    .index("by_document", ["document"]),

  // The same file is kept once in a workspace, however often it is attached, also in the trash.
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
    trashed,
  })
    .index("by_workspace", ["workspace", "trashed"])
    .index("by_document", ["document"]),

  hooks: defineTable({ workspace: v.id("workspaces"), url: v.string() }).index("by_workspace", [
    "workspace",
  ]),
});
