// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireAdmin, requireMember, requireUser } from "./model/access";
import { limitsOf } from "./model/limits";
import { deleteDocument } from "./model/removal";

export const create = mutation({
  args: { name: v.string(), own: v.string() },
  returns: v.id("workspaces"),
  handler: async (ctx, { name, own }) => {
    const user = await requireUser(ctx);
    const workspace = await ctx.db.insert("workspaces", {
      name,
      plan: "free",
      key: crypto.randomUUID(),
      documentCount: 0,
      bytes: 0,
      nextNumber: 1,
    });
    await ctx.db.insert("members", {
      workspace,
      user,
      name: own,
      role: "admin",
      documentCount: 0,
      unread: 0,
      favorites: [],
    });
    return workspace;
  },
});

/** How much of its plan a workspace uses. */
export const usage = query({
  args: { workspace: v.id("workspaces") },
  returns: v.object({
    documents: v.number(),
    documentsLeft: v.number(),
    bytes: v.number(),
    bytesLeft: v.number(),
  }),
  handler: async (ctx, args) => {
    const member = await requireMember(ctx, args.workspace);
    const workspace = await ctx.db.get("workspaces", member.workspace);
    if (workspace === null) throw new Error("a member of no workspace");
    const { documentCount, bytes } = workspace;
    const limits = limitsOf(workspace);
    return {
      documents: documentCount,
      documentsLeft: limits.documents - documentCount,
      bytes,
      bytesLeft: limits.bytes - bytes,
    };
  },
});

/** Removes a workspace with all that is in it, also in its trash. */
export const remove = mutation({
  args: { workspace: v.id("workspaces") },
  returns: v.null(),
  handler: async (ctx, { workspace }) => {
    await requireAdmin(ctx, workspace);
    const hooks = ctx.db.query("hooks").withIndex("by_workspace", (q) => q.eq("workspace", workspace));
    for (const hook of await hooks.collect()) await ctx.db.delete("hooks", hook._id);
    const documents = ctx.db
      .query("documents")
      .withIndex("by_number", (q) => q.eq("workspace", workspace));
    for (const document of await documents.collect()) await deleteDocument(ctx, document);
    const entries = ctx.db
      .query("trash")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace));
    for (const entry of await entries.collect()) await ctx.db.delete("trash", entry._id);
    const folders = ctx.db
      .query("folders")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace));
    for (const folder of await folders.collect()) await ctx.db.delete("folders", folder._id);
    const members = ctx.db
      .query("members")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace));
    for (const member of await members.collect()) {
      const notices = ctx.db.query("notices").withIndex("by_member", (q) => q.eq("member", member._id));
      for (const notice of await notices.collect()) await ctx.db.delete("notices", notice._id);
      await ctx.db.delete("members", member._id);
    }
    await ctx.db.delete("workspaces", workspace);
    return null;
  },
});
