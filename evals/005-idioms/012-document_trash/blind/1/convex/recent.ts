// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { findDocument, requireDocument, requireMember } from "./model/access";
import { showDocument, shownDocument } from "./model/shown";

const MOST_RECENT = 10;

/** What was changed last. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(shownDocument),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const documents = await ctx.db
      .query("documents")
      .withIndex("by_updated", (q) => q.eq("workspace", workspace).eq("trash", undefined))
      .order("desc")
      .take(MOST_RECENT);
    return documents.map(showDocument);
  },
});

export const open = mutation({
  args: { document: v.id("documents") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { document, member } = await requireDocument(ctx, args.document);
    await ctx.db.patch("members", member._id, { lastOpened: document._id });
    return null;
  },
});

/** Where the member goes on reading. */
export const lastOpened = query({
  args: { workspace: v.id("workspaces") },
  returns: v.union(v.object({ document: v.id("documents"), title: v.string() }), v.null()),
  handler: async (ctx, { workspace }) => {
    const { lastOpened: id } = await requireMember(ctx, workspace);
    if (id === undefined) return null;
    const document = await findDocument(ctx, id);
    return document === null ? null : { document: id, title: document.title };
  },
});
