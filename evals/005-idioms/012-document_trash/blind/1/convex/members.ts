// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireAdmin, requireMember } from "./model/access";

export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ name: v.string(), role: v.string(), documents: v.number() })),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const members = await ctx.db
      .query("members")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .collect();
    return members.map(({ name, role, documentCount }) => ({ name, role, documents: documentCount }));
  },
});

export const add = mutation({
  args: { workspace: v.id("workspaces"), user: v.string(), name: v.string() },
  returns: v.id("members"),
  handler: async (ctx, { workspace, user, name }) => {
    await requireAdmin(ctx, workspace);
    const members = ctx.db.query("members");
    const known = await members
      .withIndex("by_user", (q) => q.eq("user", user).eq("workspace", workspace))
      .unique();
    if (known !== null) throw new ConvexError("is a member");
    return await ctx.db.insert("members", {
      workspace,
      user,
      name,
      role: "member",
      documentCount: 0,
      unread: 0,
      favorites: [],
    });
  },
});

/** Members change their own name, and with it what they own and wrote, also in the trash. */
export const rename = mutation({
  args: { workspace: v.id("workspaces"), name: v.string() },
  returns: v.null(),
  handler: async (ctx, { workspace, name }) => {
    const member = await requireMember(ctx, workspace);
    await ctx.db.patch("members", member._id, { name });
    const documents = ctx.db.query("documents").withIndex("by_owner", (q) => q.eq("owner", member._id));
    for (const document of await documents.collect())
      await ctx.db.patch("documents", document._id, { ownerName: name });
    const comments = ctx.db.query("comments").withIndex("by_author", (q) => q.eq("author", member._id));
    for (const comment of await comments.collect())
      await ctx.db.patch("comments", comment._id, { authorName: name });
    return null;
  },
});

/**
 * Members leave. What they own goes to the admin who was there first, also in the trash; what
 * they wrote stays, with their name; what was for them alone is deleted.
 */
export const leave = mutation({
  args: { workspace: v.id("workspaces") },
  returns: v.null(),
  handler: async (ctx, { workspace }) => {
    const member = await requireMember(ctx, workspace);
    const everybody = await ctx.db
      .query("members")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .collect();
    const heir = everybody
      .filter((other) => other.role === "admin" && other._id !== member._id)
      .toSorted((a, b) => a._creationTime - b._creationTime)[0];
    if (heir === undefined) throw new ConvexError("the last admin stays");

    const documents = await ctx.db
      .query("documents")
      .withIndex("by_owner", (q) => q.eq("owner", member._id))
      .collect();
    for (const document of documents)
      await ctx.db.patch("documents", document._id, { owner: heir._id, ownerName: heir.name });
    const counted = documents.filter((document) => document.trash === undefined).length;
    await ctx.db.patch("members", heir._id, { documentCount: heir.documentCount + counted });

    const mentions = ctx.db.query("mentions").withIndex("by_member", (q) => q.eq("member", member._id));
    for (const mention of await mentions.collect()) await ctx.db.delete("mentions", mention._id);
    const reminders = ctx.db
      .query("reminders")
      .withIndex("by_member", (q) => q.eq("member", member._id));
    for (const reminder of await reminders.collect()) {
      await ctx.scheduler.cancel(reminder.job);
      await ctx.db.delete("reminders", reminder._id);
    }
    const notices = ctx.db.query("notices").withIndex("by_member", (q) => q.eq("member", member._id));
    for (const notice of await notices.collect()) await ctx.db.delete("notices", notice._id);
    await ctx.db.delete("members", member._id);
    return null;
  },
});
