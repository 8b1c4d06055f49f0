// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { dropTagging } from "./tagging";
import { dropReferences } from "./text";

/** A document and all below it, parents first. What is in the trash already is not among them. */
export async function collectTree(ctx: QueryCtx, root: Doc<"documents">) {
  const tree = [root];
  for (const document of tree) {
    const below = ctx.db
      .query("documents")
      .withIndex("by_parent", (q) => q.eq("parent", document._id).eq("trash", undefined));
    tree.push(...(await below.collect()));
  }
  return tree;
}

/** Counts a document out of its parent or folder. */
export async function leavePlace(ctx: MutationCtx, document: Doc<"documents">) {
  if (document.parent !== undefined) {
    const parent = await ctx.db.get("documents", document.parent);
    if (parent !== null)
      await ctx.db.patch("documents", parent._id, { childCount: (parent.childCount ?? 1) - 1 });
  }
  const folder = document.folder ? await ctx.db.get("folders", document.folder) : null;
  if (folder !== null)
    await ctx.db.patch("folders", folder._id, { documentCount: folder.documentCount - 1 });
}

/**
 * Deletes one document with all that belongs to it, and tells nobody. Counts stay as they are:
 * what is in the trash is in none of them, and a workspace that is removed takes its own along.
 */
export async function deleteDocument(ctx: MutationCtx, document: Doc<"documents">) {
  const id = document._id;
  await removeTalk(ctx, id);
  await removeFiles(ctx, id);
  await removeRows(ctx, id);
  const taggings = ctx.db.query("taggings").withIndex("by_document", (q) => q.eq("document", id));
  for (const tagging of await taggings.collect()) await dropTagging(ctx, tagging);
  await dropReferences(ctx, id);
  if (document.publishJob !== undefined) await ctx.scheduler.cancel(document.publishJob);
  await ctx.db.delete("documents", id);
}

/** Deletes a mention; one that was not read is not unread any more. */
export async function removeMention(ctx: MutationCtx, mention: Doc<"mentions">) {
  await ctx.db.delete("mentions", mention._id);
  const counted = !mention.read && mention.trashed === undefined;
  const member = counted ? await ctx.db.get("members", mention.member) : null;
  if (member !== null) await ctx.db.patch("members", member._id, { unread: member.unread - 1 });
}

/** Deletes an attachment, and its file if nothing else has it. */
export async function removeAttachment(ctx: MutationCtx, attachment: Doc<"attachments">) {
  await ctx.db.delete("attachments", attachment._id);
  const other = await ctx.db
    .query("attachments")
    .withIndex("by_file", (q) => q.eq("file", attachment.file))
    .first();
  if (other === null) await ctx.storage.delete(attachment.file);
}

async function removeTalk(ctx: MutationCtx, id: Id<"documents">) {
  const mentions = ctx.db.query("mentions").withIndex("by_document", (q) => q.eq("document", id));
  for (const mention of await mentions.collect()) await removeMention(ctx, mention);
  const comments = ctx.db.query("comments").withIndex("by_document", (q) => q.eq("document", id));
  for (const comment of await comments.collect()) await ctx.db.delete("comments", comment._id);
}

async function removeFiles(ctx: MutationCtx, id: Id<"documents">) {
  const files = ctx.db.query("attachments").withIndex("by_document", (q) => q.eq("document", id));
  for (const attachment of await files.collect()) await removeAttachment(ctx, attachment);
}

async function removeRows(ctx: MutationCtx, id: Id<"documents">) {
  const reminders = ctx.db.query("reminders").withIndex("by_document", (q) => q.eq("document", id));
  for (const reminder of await reminders.collect()) {
    await ctx.scheduler.cancel(reminder.job);
    await ctx.db.delete("reminders", reminder._id);
  }
  const links = ctx.db.query("links").withIndex("by_document", (q) => q.eq("document", id));
  for (const link of await links.collect()) await ctx.db.delete("links", link._id);
  const revisions = ctx.db.query("revisions").withIndex("by_document", (q) => q.eq("document", id));
  for (const revision of await revisions.collect()) await ctx.db.delete("revisions", revision._id);
  const activities = ctx.db
    .query("activities")
    .withIndex("by_document", (q) => q.eq("document", id));
  for (const activity of await activities.collect()) await ctx.db.delete("activities", activity._id);
}
