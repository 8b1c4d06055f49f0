// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { requireMember, requireUser } from "./model/access";

const MOST_SHOWN = 10;

/** Where others mentioned the member, unread first, then the latest first. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(
    v.object({ mention: v.id("mentions"), title: v.string(), text: v.string(), read: v.boolean() }),
  ),
  handler: async (ctx, { workspace }) => {
    const member = await requireMember(ctx, workspace);
    const rows = [];
    for (const read of [false, true]) {
      const mentions = await ctx.db
        .query("mentions")
        .withIndex("by_member", (q) =>
          q.eq("member", member._id).eq("trashed", undefined).eq("read", read),
        )
        .order("desc")
        .take(MOST_SHOWN - rows.length);
      for (const mention of mentions) {
        const document = await ctx.db.get("documents", mention.document);
        const comment = await ctx.db.get("comments", mention.comment);
        const title = document?.title ?? "";
        rows.push({ mention: mention._id, title, text: comment?.text ?? "", read });
      }
    }
    return rows;
  },
});

export const unread = query({
  args: { workspace: v.id("workspaces") },
  returns: v.number(),
  handler: async (ctx, { workspace }) => (await requireMember(ctx, workspace)).unread,
});

export const markRead = mutation({
  args: { mention: v.id("mentions") },
  returns: v.null(),
  handler: async (ctx, { mention: id }) => {
    const user = await requireUser(ctx);
    const mention = await ctx.db.get("mentions", id);
    const member = mention === null ? null : await ctx.db.get("members", mention.member);
    if (mention === null || mention.trashed !== undefined || member?.user !== user)
      throw new ConvexError("not found");
    if (mention.read) return null;
    await ctx.db.patch("mentions", id, { read: true });
    await ctx.db.patch("members", member._id, { unread: member.unread - 1 });
    return null;
  },
});

export const markAllRead = mutation({
  args: { workspace: v.id("workspaces") },
  returns: v.null(),
  handler: async (ctx, { workspace }) => {
    const member = await requireMember(ctx, workspace);
    // All are those in the trash, too: they come back as if they had never been away.
    for (const trashed of [undefined, true] as const) {
      const mentions = ctx.db
        .query("mentions")
        .withIndex("by_member", (q) =>
          q.eq("member", member._id).eq("trashed", trashed).eq("read", false),
        );
      for (const { _id } of await mentions.collect())
        await ctx.db.patch("mentions", _id, { read: true });
    }
    await ctx.db.patch("members", member._id, { unread: 0 });
    return null;
  },
});
