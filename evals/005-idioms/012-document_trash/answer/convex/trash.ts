// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { requireMember, requireOwner, requireUser } from "./model/access";
import { eraseTree, restoreTree } from "./model/trash";

/** A document that somebody put into the trash, and that the caller may take out of it. */
async function requireTrashed(ctx: MutationCtx, id: Id<"documents">) {
  await requireUser(ctx);
  const document = await ctx.db.get("documents", id);
  if (document === null || document.trashedWith !== id) throw new ConvexError("not found");
  requireOwner(document, await requireMember(ctx, document.workspace));
  return document;
}

/** What was removed in the last 30 days, the latest first. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(
    v.object({ document: v.id("documents"), title: v.string(), removedAt: v.number() }),
  ),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const documents = await ctx.db
      .query("documents")
      .withIndex("by_title", (q) => q.eq("workspace", workspace).gt("trashedAt", undefined))
      .order("desc")
      .collect();
    return documents
      .filter((document) => document.trashedWith === document._id)
      .map(({ _id, title, trashedAt }) => ({ document: _id, title, removedAt: trashedAt ?? 0 }));
  },
});

export const restore = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await restoreTree(ctx, await requireTrashed(ctx, args.document));
    return null;
  },
});

/** Removes a document for good, before its 30 days are over. */
export const erase = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await eraseTree(ctx, (await requireTrashed(ctx, args.document))._id);
    return null;
  },
});

/** The end of the 30 days of one stay in the trash. */
export const expire = internalMutation({
  args: { document: v.id("documents"), at: v.number() },
  returns: v.null(),
  handler: async (ctx, { document: id, at }) => {
    const document = await ctx.db.get("documents", id);
    if (document?.trashedWith === id && document.trashedAt === at) await eraseTree(ctx, id);
    return null;
  },
});
