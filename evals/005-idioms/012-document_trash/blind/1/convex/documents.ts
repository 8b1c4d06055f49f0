// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { findDocument, requireDocument, requireMember, requireOwner } from "./model/access";
import { addActivity, tellHooks } from "./model/events";
import { requireRoom } from "./model/limits";
import { collectTree, leavePlace } from "./model/removal";
import { showDocument, shownDocument } from "./model/shown";
import { findBySlug, freeSlug } from "./model/slugs";
import { tagDocument } from "./model/tagging";
import { countWords, keepReferences } from "./model/text";
import { trashTree } from "./model/trash";

const MOST_LISTED = 200;

type Place = { folder?: Id<"folders"> | undefined; parent?: Id<"documents"> | undefined };

/** Counts a document in at its place, which must be in the workspace. Returns the folder's name. */
async function enter(ctx: MutationCtx, workspace: Id<"workspaces">, place: Place) {
  if (place.parent !== undefined) {
    const parent = await findDocument(ctx, place.parent);
    if (parent?.workspace !== workspace) throw new ConvexError("no such parent");
    await ctx.db.patch("documents", parent._id, { childCount: (parent.childCount ?? 0) + 1 });
    return undefined;
  }
  if (place.folder === undefined) return undefined;
  const folder = await ctx.db.get("folders", place.folder);
  if (folder?.workspace !== workspace) throw new ConvexError("no such folder");
  await ctx.db.patch("folders", folder._id, { documentCount: folder.documentCount + 1 });
  return folder.name;
}

async function insertDocument(
  ctx: MutationCtx,
  member: Doc<"members">,
  place: Place,
  text: { title: string; body: string },
) {
  const workspace = await ctx.db.get("workspaces", member.workspace);
  if (workspace === null) throw new Error("a member of no workspace");
  requireRoom(workspace, 1, 0);
  const folderName = await enter(ctx, workspace._id, place);
  const id = await ctx.db.insert("documents", {
    ...text,
    ...(place.parent === undefined ? { folder: place.folder, folderName } : { parent: place.parent }),
    workspace: workspace._id,
    number: workspace.nextNumber,
    slug: await freeSlug(ctx, workspace._id, text.title),
    owner: member._id,
    ownerName: member.name,
    status: "draft",
    updatedAt: Date.now(),
    words: countWords(text.body),
    commentCount: 0,
  });
  await ctx.db.patch("workspaces", workspace._id, {
    documentCount: workspace.documentCount + 1,
    nextNumber: workspace.nextNumber + 1,
  });
  await ctx.db.patch("members", member._id, { documentCount: member.documentCount + 1 });
  const document = await ctx.db.get("documents", id);
  if (document === null) throw new Error("just inserted");
  await keepReferences(ctx, document, text.body);
  await addActivity(ctx, document, "created");
  await tellHooks(ctx, document, "document.created");
  return document;
}

export const create = mutation({
  args: {
    workspace: v.id("workspaces"),
    title: v.string(),
    body: v.string(),
    folder: v.optional(v.id("folders")),
    parent: v.optional(v.id("documents")),
  },
  returns: v.id("documents"),
  handler: async (ctx, { workspace, title, body, ...place }) => {
    const member = await requireMember(ctx, workspace);
    return (await insertDocument(ctx, member, place, { title, body }))._id;
  },
});

/** A copy beside a document, with its text and tags, and without all that people added. */
export const duplicate = mutation({
  args: { document: v.id("documents") },
  returns: v.id("documents"),
  handler: async (ctx, args) => {
    const { document, member } = await requireDocument(ctx, args.document);
    const { parent, body, tags } = document;
    const place = { folder: document.folder ?? undefined, parent };
    const copy = await insertDocument(ctx, member, place, { title: `${document.title} copy`, body });
    for (const name of tags ?? []) await tagDocument(ctx, copy, name);
    if (tags !== undefined) await ctx.db.patch("documents", copy._id, { tags });
    return copy._id;
  },
});

export const edit = mutation({
  args: { document: v.id("documents"), title: v.optional(v.string()), body: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { document: id, ...changes }) => {
    const { document, member } = await requireDocument(ctx, id);
    const { title, body } = document;
    await ctx.db.insert("revisions", { document: id, member: member._id, title, body });
    await ctx.db.patch("documents", id, {
      ...changes,
      words: countWords(changes.body ?? body),
      updatedAt: Date.now(),
    });
    if (changes.body !== undefined) await keepReferences(ctx, document, changes.body);
    await addActivity(ctx, document, "edited");
    await tellHooks(ctx, document, "document.edited");
    return null;
  },
});

/** Moves a document to a folder, below another document, or to the top level. */
export const move = mutation({
  args: {
    document: v.id("documents"),
    folder: v.optional(v.id("folders")),
    parent: v.optional(v.id("documents")),
  },
  returns: v.null(),
  handler: async (ctx, { document: id, ...place }) => {
    const { document } = await requireDocument(ctx, id);
    const tree = await collectTree(ctx, document);
    if (tree.some(({ _id }) => _id === place.parent)) throw new ConvexError("below itself");
    await leavePlace(ctx, document);
    const folderName = await enter(ctx, document.workspace, place);
    const inFolder = place.parent === undefined ? place.folder : undefined;
    await ctx.db.patch("documents", id, { folder: inFolder, folderName, parent: place.parent });
    return null;
  },
});

/** Puts a document and all below it into the trash. */
export const remove = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { document, member } = await requireDocument(ctx, args.document);
    requireOwner(document, member);
    await trashTree(ctx, document);
    return null;
  },
});

export const get = query({
  args: { document: v.id("documents") },
  returns: v.object({ ...shownDocument.fields, body: v.string() }),
  handler: async (ctx, args) => {
    const { document } = await requireDocument(ctx, args.document);
    return { ...showDocument(document), body: document.body };
  },
});

/** The document that an address names; null if there is none. */
export const bySlug = query({
  args: { workspace: v.id("workspaces"), slug: v.string() },
  returns: v.union(shownDocument, v.null()),
  handler: async (ctx, { workspace, slug }) => {
    await requireMember(ctx, workspace);
    const document = await findBySlug(ctx, workspace, slug);
    return document === null ? null : showDocument(document);
  },
});

/** What is in a folder or, without one, at the top level. */
export const list = query({
  args: { workspace: v.id("workspaces"), folder: v.optional(v.id("folders")) },
  returns: v.array(shownDocument),
  handler: async (ctx, { workspace, folder }) => {
    await requireMember(ctx, workspace);
    const rows: Doc<"documents">[] = [];
    for (const place of folder === undefined ? [undefined, null] : [folder]) {
      const documents = ctx.db
        .query("documents")
        .withIndex("by_folder", (q) =>
          q.eq("workspace", workspace).eq("folder", place).eq("trash", undefined),
        );
      for await (const document of documents) {
        if (document.parent !== undefined) continue;
        rows.push(document);
        if (rows.length === MOST_LISTED) break;
      }
    }
    return rows.toSorted((a, b) => (a.title < b.title ? -1 : 1)).map(showDocument);
  },
});

export const children = query({
  args: { document: v.id("documents") },
  returns: v.array(shownDocument),
  handler: async (ctx, { document }) => {
    await requireDocument(ctx, document);
    const below = await ctx.db
      .query("documents")
      .withIndex("by_parent", (q) => q.eq("parent", document).eq("trash", undefined))
      .collect();
    return below.map(showDocument);
  },
});

/** All documents by title, page by page. */
export const page = query({
  args: { workspace: v.id("workspaces"), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(shownDocument),
  handler: async (ctx, { workspace, paginationOpts }) => {
    await requireMember(ctx, workspace);
    const result = await ctx.db
      .query("documents")
      .withIndex("by_title", (q) => q.eq("workspace", workspace).eq("trash", undefined))
      .paginate(paginationOpts);
    return { ...result, page: result.page.map(showDocument) };
  },
});
