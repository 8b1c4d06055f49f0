// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { findDocument } from "./access";
import { tellHooks, tellHooksOfRemoval } from "./events";
import { requireRoom } from "./limits";
import { collectTree, deleteDocument, leavePlace } from "./removal";
import { findBySlug, freeSlug } from "./slugs";
import { countTags } from "./tagging";

/**
 * Puts a document and all below it into the trash. All that belongs to it stays where it is, so
 * that it takes part in what changes; it is only marked, and not counted any more.
 */
export async function trashTree(ctx: MutationCtx, root: Doc<"documents">) {
  const tree = await collectTree(ctx, root);
  const trash = await ctx.db.insert("trash", {
    workspace: root.workspace,
    document: root._id,
    title: root.title,
    removedAt: Date.now(),
  });
  await leavePlace(ctx, root);
  await countInWorkspace(ctx, root.workspace, tree, -1);
  for (const document of tree) {
    await tellHooksOfRemoval(ctx, document);
    await ctx.db.patch("documents", document._id, { trash, body: "", trashedBody: document.body });
    await countForOwner(ctx, document, -1);
    await countTags(ctx, document._id, -1);
    await markRows(ctx, document._id, true);
  }
}

/** Brings back what was removed together. Refuses if there is no room for all of it. */
export async function restoreTree(ctx: MutationCtx, entry: Doc<"trash">) {
  const documents = await collectTrashed(ctx, entry._id);
  const workspace = await ctx.db.get("workspaces", entry.workspace);
  if (workspace === null) throw new Error("a trash of no workspace");
  requireRoom(workspace, documents.length, bytesOf(documents));
  await countInWorkspace(ctx, workspace._id, documents, 1);

  // First those that keep their slugs: no other one of the tree may get such a slug.
  const renamed = [];
  for (const document of documents) {
    const changes = {
      trash: undefined,
      body: document.trashedBody ?? document.body,
      trashedBody: undefined,
      ...(document._id === entry.document ? await returnToPlace(ctx, document) : {}),
      ...(await dropDue(ctx, document)),
    };
    const other = await findBySlug(ctx, workspace._id, document.slug);
    if (other === null) await ctx.db.patch("documents", document._id, changes);
    else renamed.push({ document, changes });
  }
  for (const { document, changes } of renamed) {
    const slug = await freeSlug(ctx, workspace._id, document.title);
    await ctx.db.patch("documents", document._id, { ...changes, slug });
  }

  for (const document of documents) {
    await countForOwner(ctx, document, 1);
    await countTags(ctx, document._id, 1);
    await markRows(ctx, document._id, undefined);
    await tellHooks(ctx, document, "document.restored");
  }
  await ctx.db.delete("trash", entry._id);
}

/** Deletes for good what was removed together, and tells nobody. */
export async function eraseTree(ctx: MutationCtx, entry: Doc<"trash">) {
  const documents = await collectTrashed(ctx, entry._id);
  for (const document of documents) await deleteDocument(ctx, document);

  const ids = new Set(documents.map(({ _id }) => _id));
  const members = ctx.db
    .query("members")
    .withIndex("by_workspace", (q) => q.eq("workspace", entry.workspace));
  for (const member of await members.collect()) {
    const favorites = member.favorites.filter((favorite) => !ids.has(favorite));
    if (favorites.length < member.favorites.length)
      await ctx.db.patch("members", member._id, { favorites });
    if (member.lastOpened !== undefined && ids.has(member.lastOpened))
      await ctx.db.patch("members", member._id, { lastOpened: undefined });
  }
  await ctx.db.delete("trash", entry._id);
}

async function collectTrashed(ctx: QueryCtx, trash: Id<"trash">) {
  return await ctx.db
    .query("documents")
    .withIndex("by_trash", (q) => q.eq("trash", trash))
    .collect();
}

function bytesOf(documents: Doc<"documents">[]): number {
  return documents.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
}

async function countInWorkspace(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  documents: Doc<"documents">[],
  by: 1 | -1,
) {
  const workspace = await ctx.db.get("workspaces", id);
  if (workspace !== null)
    await ctx.db.patch("workspaces", id, {
      documentCount: workspace.documentCount + by * documents.length,
      bytes: workspace.bytes + by * bytesOf(documents),
    });
}

async function countForOwner(ctx: MutationCtx, document: Doc<"documents">, by: 1 | -1) {
  const owner = await ctx.db.get("members", document.owner);
  if (owner !== null)
    await ctx.db.patch("members", owner._id, { documentCount: owner.documentCount + by });
}

/** Counts a document in again where it was. Returns the changes that take it to the top level. */
async function returnToPlace(ctx: MutationCtx, document: Doc<"documents">) {
  const toTopLevel = { parent: undefined, folder: undefined, folderName: undefined };
  if (document.parent !== undefined) {
    const parent = await findDocument(ctx, document.parent);
    if (parent === null) return toTopLevel;
    await ctx.db.patch("documents", parent._id, { childCount: (parent.childCount ?? 0) + 1 });
  }
  if (document.folder) {
    const folder = await ctx.db.get("folders", document.folder);
    if (folder === null) return toTopLevel;
    await ctx.db.patch("folders", folder._id, { documentCount: folder.documentCount + 1 });
  }
  return {};
}

/** Drops what fell due in the trash. Returns the changes to the document itself. */
async function dropDue(ctx: MutationCtx, document: Doc<"documents">) {
  const now = Date.now();
  const reminders = ctx.db
    .query("reminders")
    .withIndex("by_document", (q) => q.eq("document", document._id));
  for (const reminder of await reminders.collect()) {
    if (reminder.at > now) continue;
    await ctx.scheduler.cancel(reminder.job);
    await ctx.db.delete("reminders", reminder._id);
  }
  if (document.publishAt === undefined || document.publishAt > now) return {};
  if (document.publishJob !== undefined) await ctx.scheduler.cancel(document.publishJob);
  return { publishAt: undefined, publishJob: undefined };
}

/** Marks what belongs to a document as being in the trash, or takes the marks away. */
async function markRows(ctx: MutationCtx, id: Id<"documents">, trashed: true | undefined) {
  const comments = ctx.db.query("comments").withIndex("by_document", (q) => q.eq("document", id));
  for (const { _id } of await comments.collect()) await ctx.db.patch("comments", _id, { trashed });

  const mentions = ctx.db.query("mentions").withIndex("by_document", (q) => q.eq("document", id));
  for (const mention of await mentions.collect()) {
    await ctx.db.patch("mentions", mention._id, { trashed });
    const member = mention.read ? null : await ctx.db.get("members", mention.member);
    if (member !== null)
      await ctx.db.patch("members", member._id, {
        unread: member.unread + (trashed === undefined ? 1 : -1),
      });
  }

  const references = ctx.db.query("references").withIndex("by_from", (q) => q.eq("from", id));
  for (const { _id } of await references.collect())
    await ctx.db.patch("references", _id, { trashed });

  const revisions = ctx.db.query("revisions").withIndex("by_document", (q) => q.eq("document", id));
  for (const { _id } of await revisions.collect()) await ctx.db.patch("revisions", _id, { trashed });

  const activities = ctx.db
    .query("activities")
    .withIndex("by_document", (q) => q.eq("document", id));
  for (const { _id } of await activities.collect())
    await ctx.db.patch("activities", _id, { trashed });
}
