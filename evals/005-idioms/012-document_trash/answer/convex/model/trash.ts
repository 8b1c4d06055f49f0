// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { tellHooks, tellHooksOfRemoval } from "./events";
import { requireRoom } from "./limits";
import { getLive } from "./live";
import { collectTree, countChild, countDocument, deleteDocument } from "./removal";
import { findBySlug, freeSlug } from "./slugs";

const KEPT = 30 * 24 * 60 * 60 * 1000;

/** What went into the trash together. */
async function trashedWith(ctx: QueryCtx, root: Id<"documents">) {
  return await ctx.db
    .query("documents")
    .withIndex("by_trash", (q) => q.eq("trashedWith", root))
    .collect();
}

export async function trashTree(ctx: MutationCtx, root: Doc<"documents">) {
  const at = Date.now();
  const tree = await collectTree(ctx, root);
  if (root.parent !== undefined) await countChild(ctx, root.parent, -1);
  for (const document of tree) {
    await tellHooksOfRemoval(ctx, document);
    await countDocument(ctx, document, -1);
    await ctx.db.patch("documents", document._id, { trashedAt: at, trashedWith: root._id });
  }
  await ctx.scheduler.runAfter(KEPT, internal.trash.expire, { document: root._id, at });
}

export async function restoreTree(ctx: MutationCtx, root: Doc<"documents">) {
  const tree = await trashedWith(ctx, root._id);
  const workspace = await ctx.db.get("workspaces", root.workspace);
  if (workspace === null) throw new Error("a document of no workspace");
  const bytes = tree.reduce((sum, document) => sum + (document.bytes ?? 0), 0);
  requireRoom(workspace, tree.length, bytes);
  const parent = root.parent === undefined ? null : await getLive(ctx, root.parent);
  if (parent !== null) await countChild(ctx, parent._id, 1);
  else if (root.parent !== undefined) await ctx.db.patch("documents", root._id, { parent: undefined });
  const folder = root.folder ? await ctx.db.get("folders", root.folder) : null;
  if (root.folder && folder === null)
    await ctx.db.patch("documents", root._id, { folder: undefined, folderName: undefined });
  for (const { _id, title, slug } of tree) {
    const taken = (await findBySlug(ctx, workspace._id, slug)) !== null;
    await ctx.db.patch("documents", _id, {
      trashedAt: undefined,
      trashedWith: undefined,
      ...(taken ? { slug: await freeSlug(ctx, workspace._id, title) } : {}),
    });
    const document = await ctx.db.get("documents", _id);
    if (document === null) continue;
    await countDocument(ctx, document, 1);
    await tellHooks(ctx, document, "document.restored");
  }
}

export async function eraseTree(ctx: MutationCtx, root: Id<"documents">) {
  for (const document of await trashedWith(ctx, root)) await deleteDocument(ctx, document);
}
