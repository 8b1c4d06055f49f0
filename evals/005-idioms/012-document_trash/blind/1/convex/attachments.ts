// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireDocument, requireMember, requireUser } from "./model/access";
import { requireRoom } from "./model/limits";
import { removeAttachment } from "./model/removal";

export const uploadUrl = mutation({
  args: { workspace: v.id("workspaces") },
  returns: v.string(),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    return await ctx.storage.generateUploadUrl();
  },
});

/** Attaches an uploaded file. */
export const attach = mutation({
  args: { document: v.id("documents"), name: v.string(), file: v.id("_storage") },
  returns: v.id("attachments"),
  handler: async (ctx, { document: id, name, file: uploaded }) => {
    const { document } = await requireDocument(ctx, id);
    const workspace = await ctx.db.get("workspaces", document.workspace);
    const stored = await ctx.db.system.get("_storage", uploaded);
    if (workspace === null || stored === null) throw new ConvexError("not found");
    const { sha256, size } = stored;
    requireRoom(workspace, 0, size);
    // A document in the trash may have the same file: it is shared with that one, too.
    const same = await ctx.db
      .query("attachments")
      .withIndex("by_hash", (q) => q.eq("workspace", workspace._id).eq("sha256", sha256))
      .first();
    if (same !== null && same.file !== uploaded) await ctx.storage.delete(uploaded);
    await ctx.db.patch("workspaces", workspace._id, { bytes: workspace.bytes + size });
    await ctx.db.patch("documents", id, { bytes: (document.bytes ?? 0) + size });
    return await ctx.db.insert("attachments", {
      workspace: workspace._id,
      document: id,
      name,
      file: same?.file ?? uploaded,
      sha256,
      size,
    });
  },
});

export const list = query({
  args: { document: v.id("documents") },
  returns: v.array(v.object({ id: v.id("attachments"), name: v.string(), size: v.number() })),
  handler: async (ctx, { document }) => {
    await requireDocument(ctx, document);
    const rows = await ctx.db
      .query("attachments")
      .withIndex("by_document", (q) => q.eq("document", document))
      .collect();
    return rows.map(({ _id, name, size }) => ({ id: _id, name, size }));
  },
});

export const url = query({
  args: { attachment: v.id("attachments") },
  returns: v.union(v.string(), v.null()),
  handler: async (ctx, args) => {
    await requireUser(ctx);
    const attachment = await ctx.db.get("attachments", args.attachment);
    if (attachment === null) return null;
    const document = await ctx.db.get("documents", attachment.document);
    if (document?.trash !== undefined) return null;
    await requireMember(ctx, attachment.workspace);
    return await ctx.storage.getUrl(attachment.file);
  },
});

export const remove = mutation({
  args: { attachment: v.id("attachments") },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireUser(ctx);
    const attachment = await ctx.db.get("attachments", args.attachment);
    if (attachment === null) throw new ConvexError("not found");
    const document = await ctx.db.get("documents", attachment.document);
    if (document?.trash !== undefined) throw new ConvexError("not found");
    await requireMember(ctx, attachment.workspace);
    const workspace = await ctx.db.get("workspaces", attachment.workspace);
    const { size } = attachment;
    if (workspace !== null)
      await ctx.db.patch("workspaces", workspace._id, { bytes: workspace.bytes - size });
    if (document !== null)
      await ctx.db.patch("documents", document._id, { bytes: (document.bytes ?? size) - size });
    await removeAttachment(ctx, attachment);
    return null;
  },
});
