// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { findDocument, requireDocument, requireMember } from "./model/access";
import { countWords, keepReferences } from "./model/text";

/** What a document was before each edit, the latest first. */
export const list = query({
  args: { document: v.id("documents") },
  returns: v.array(v.object({ title: v.string(), body: v.string() })),
  handler: async (ctx, { document }) => {
    await requireDocument(ctx, document);
    const revisions = await ctx.db
      .query("revisions")
      .withIndex("by_document", (q) => q.eq("document", document))
      .order("desc")
      .take(50);
    return revisions.map(({ title, body }) => ({ title, body }));
  },
});

/** Takes back the member's own last edit. Returns the title that is back, null if there is none. */
export const undo = mutation({
  args: { workspace: v.id("workspaces") },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, { workspace }) => {
    const member = await requireMember(ctx, workspace);
    const revision = await ctx.db
      .query("revisions")
      .withIndex("by_member", (q) => q.eq("member", member._id).eq("trashed", undefined))
      .order("desc")
      .first();
    const document = revision === null ? null : await findDocument(ctx, revision.document);
    if (revision === null || document === null) return null;
    const { title, body } = revision;
    const words = countWords(body);
    await ctx.db.patch("documents", document._id, { title, body, words, updatedAt: Date.now() });
    await keepReferences(ctx, document, body);
    await ctx.db.delete("revisions", revision._id);
    return title;
  },
});
