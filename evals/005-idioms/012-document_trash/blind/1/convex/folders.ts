// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireMember, requireUser } from "./model/access";

export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ id: v.id("folders"), name: v.string(), documents: v.number() })),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const folders = await ctx.db
      .query("folders")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .collect();
    return folders.map(({ _id, name, documentCount }) => ({
      id: _id,
      name,
      documents: documentCount,
    }));
  },
});

export const create = mutation({
  args: { workspace: v.id("workspaces"), name: v.string() },
  returns: v.id("folders"),
  handler: async (ctx, { workspace, name }) => {
    await requireMember(ctx, workspace);
    return await ctx.db.insert("folders", { workspace, name, documentCount: 0 });
  },
});

export const rename = mutation({
  args: { folder: v.id("folders"), name: v.string() },
  returns: v.null(),
  handler: async (ctx, { folder: id, name }) => {
    await requireUser(ctx);
    const folder = await ctx.db.get("folders", id);
    if (folder === null) throw new ConvexError("not found");
    await requireMember(ctx, folder.workspace);
    await ctx.db.patch("folders", id, { name });
    // Those in the trash, too.
    const documents = ctx.db
      .query("documents")
      .withIndex("by_folder", (q) => q.eq("workspace", folder.workspace).eq("folder", id));
    for (const document of await documents.collect())
      await ctx.db.patch("documents", document._id, { folderName: name });
    return null;
  },
});

/** Removes a folder without documents. What comes back from the trash will do without it. */
export const remove = mutation({
  args: { folder: v.id("folders") },
  returns: v.null(),
  handler: async (ctx, { folder: id }) => {
    await requireUser(ctx);
    const folder = await ctx.db.get("folders", id);
    if (folder === null) throw new ConvexError("not found");
    await requireMember(ctx, folder.workspace);
    const document = await ctx.db
      .query("documents")
      .withIndex("by_folder", (q) =>
        q.eq("workspace", folder.workspace).eq("folder", id).eq("trash", undefined),
      )
      .first();
    if (document !== null) throw new ConvexError("not empty");
    await ctx.db.delete("folders", id);
    return null;
  },
});
