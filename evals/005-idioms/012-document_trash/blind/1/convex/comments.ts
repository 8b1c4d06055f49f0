// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { findDocument, requireDocument, requireMember, requireUser } from "./model/access";
import { addActivity } from "./model/events";
import { removeMention } from "./model/removal";
import { mentionsIn } from "./model/text";

async function insertComment(
  ctx: MutationCtx,
  document: Doc<"documents">,
  author: Doc<"members">,
  text: string,
) {
  const comment = await ctx.db.insert("comments", {
    document: document._id,
    author: author._id,
    authorName: author.name,
    text,
  });
  await ctx.db.patch("documents", document._id, { commentCount: document.commentCount + 1 });
  for (const name of mentionsIn(text)) {
    const members = await ctx.db
      .query("members")
      .withIndex("by_workspace", (q) => q.eq("workspace", document.workspace).eq("name", name))
      .collect();
    for (const { _id: member, unread } of members) {
      if (member === author._id) continue;
      await ctx.db.insert("mentions", { member, document: document._id, comment, read: false });
      await ctx.db.patch("members", member, { unread: unread + 1 });
    }
  }
  await addActivity(ctx, document, "commented");
  return comment;
}

export const add = mutation({
  args: { document: v.id("documents"), text: v.string() },
  returns: v.id("comments"),
  handler: async (ctx, args) => {
    const { document, member } = await requireDocument(ctx, args.document);
    return await insertComment(ctx, document, member, args.text);
  },
});

/** A reply by mail, which knows the number of its document. Null if nothing can be replied to. */
export const addByMail = internalMutation({
  args: { key: v.string(), number: v.number(), user: v.string(), text: v.string() },
  handler: async (ctx, { key, number, user, text }) => {
    const workspace = await ctx.db
      .query("workspaces")
      .withIndex("by_key", (q) => q.eq("key", key))
      .unique();
    if (workspace === null) return null;
    const document = await ctx.db
      .query("documents")
      .withIndex("by_number", (q) =>
        q.eq("workspace", workspace._id).eq("trash", undefined).eq("number", number),
      )
      .unique();
    const author = await ctx.db
      .query("members")
      .withIndex("by_user", (q) => q.eq("user", user).eq("workspace", workspace._id))
      .unique();
    if (document === null || author === null) return null;
    return await insertComment(ctx, document, author, text);
  },
});

export const list = query({
  args: { document: v.id("documents") },
  returns: v.array(v.object({ id: v.id("comments"), author: v.string(), text: v.string() })),
  handler: async (ctx, { document }) => {
    await requireDocument(ctx, document);
    const comments = await ctx.db
      .query("comments")
      .withIndex("by_document", (q) => q.eq("document", document))
      .collect();
    return comments.map(({ _id, authorName, text }) => ({ id: _id, author: authorName, text }));
  },
});

/** What I have written, the latest first. */
export const mine = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ id: v.id("comments"), text: v.string() })),
  handler: async (ctx, { workspace }) => {
    const member = await requireMember(ctx, workspace);
    const comments = await ctx.db
      .query("comments")
      .withIndex("by_author", (q) => q.eq("author", member._id).eq("trashed", undefined))
      .order("desc")
      .take(20);
    return comments.map(({ _id, text }) => ({ id: _id, text }));
  },
});

/** Authors, and admins, delete a comment. */
export const remove = mutation({
  args: { comment: v.id("comments") },
  returns: v.null(),
  handler: async (ctx, { comment: id }) => {
    await requireUser(ctx);
    const comment = await ctx.db.get("comments", id);
    const document = comment === null ? null : await findDocument(ctx, comment.document);
    if (comment === null || document === null) throw new ConvexError("not found");
    const member = await requireMember(ctx, document.workspace);
    if (comment.author !== member._id && member.role !== "admin")
      throw new ConvexError("not the author");
    const mentions = ctx.db.query("mentions").withIndex("by_comment", (q) => q.eq("comment", id));
    for (const mention of await mentions.collect()) await removeMention(ctx, mention);
    await ctx.db.delete("comments", id);
    await ctx.db.patch("documents", document._id, { commentCount: document.commentCount - 1 });
    return null;
  },
});
