// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { status } from "../schema";

/** What clients get of a document. Old ones refuse fields that they do not know. */
export const shownDocument = v.object({
  id: v.id("documents"),
  number: v.number(),
  slug: v.string(),
  title: v.string(),
  ownerName: v.string(),
  folderName: v.union(v.string(), v.null()),
  tags: v.array(v.string()),
  status,
  children: v.number(),
  comments: v.number(),
  bytes: v.number(),
  updatedAt: v.number(),
});

export function showDocument(document: Doc<"documents">) {
  return {
    id: document._id,
    number: document.number,
    slug: document.slug,
    title: document.title,
    ownerName: document.ownerName,
    folderName: document.folderName ?? null,
    tags: document.tags ?? [],
    status: document.status ?? ("published" as const),
    children: document.childCount ?? 0,
    comments: document.commentCount,
    bytes: document.bytes ?? 0,
    updatedAt: document.updatedAt,
  };
}
