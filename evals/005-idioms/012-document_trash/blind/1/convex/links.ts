// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internalMutation, mutation, query } from "./_generated/server";
import {
  findDocument,
  requireDocument,
  requireMember,
  requireOwner,
  requireUser,
} from "./model/access";

/** Makes an address under which everybody reads a document. */
export const create = mutation({
  args: { document: v.id("documents") },
  returns: v.object({ link: v.id("links"), token: v.string() }),
  handler: async (ctx, args) => {
    const { document, member } = await requireDocument(ctx, args.document);
    requireOwner(document, member);
    const token = crypto.randomUUID();
    const { _id, workspace } = document;
    return { link: await ctx.db.insert("links", { workspace, document: _id, token, views: 0 }), token };
  },
});

/** All that is shared from a workspace. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ link: v.id("links"), title: v.string(), views: v.number() })),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const links = await ctx.db
      .query("links")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .collect();
    const rows = await Promise.all(
      links.map(async ({ _id, document: id, views }) => {
        const document = await ctx.db.get("documents", id);
        if (document?.trash !== undefined) return null;
        return { link: _id, title: document?.title ?? "", views };
      }),
    );
    return rows.filter((row) => row !== null);
  },
});

export const revoke = mutation({
  args: { link: v.id("links") },
  returns: v.null(),
  handler: async (ctx, { link: id }) => {
    await requireUser(ctx);
    const link = await ctx.db.get("links", id);
    const document = link === null ? null : await findDocument(ctx, link.document);
    if (document === null) throw new ConvexError("not found");
    requireOwner(document, await requireMember(ctx, document.workspace));
    await ctx.db.delete("links", id);
    return null;
  },
});

/** Counts a view, and returns what is to be read; null if the link does not hold. */
export const view = internalMutation({
  args: { token: v.string() },
  handler: async (ctx, { token }) => {
    const link = await ctx.db
      .query("links")
      .withIndex("by_token", (q) => q.eq("token", token))
      .unique();
    const document = link === null ? null : await findDocument(ctx, link.document);
    if (link === null || document === null) return null;
    await ctx.db.patch("links", link._id, { views: link.views + 1 });
    return { title: document.title, body: document.body };
  },
});
