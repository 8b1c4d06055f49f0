// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internalMutation, mutation, query } from "./_generated/server";
import { requireMember } from "./lib/access";
import { giveQuotaBack, putOut } from "./lib/outbox";
import { channel } from "./schema";

const draft = { workspace: v.id("workspaces"), channel, to: v.string(), text: v.string() };

export const send = mutation({
  args: draft,
  returns: v.id("messages"),
  handler: async (ctx, args) => {
    await requireMember(ctx, args.workspace);
    return await putOut(ctx, args);
  },
});

/** Sends one of several messages: if it is refused, the caller can go on with the others. */
export const put = internalMutation({
  args: draft,
  returns: v.id("messages"),
  handler: async (ctx, args) => await putOut(ctx, args),
});

/** The newest messages of a workspace. */
export const list = query({
  args: { workspace: v.id("workspaces") },
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const messages = await ctx.db
      .query("messages")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .order("desc")
      .take(100);
    return messages.map((message) => ({
      _id: message._id,
      _creationTime: message._creationTime,
      workspace: message.workspace,
      channel: message.channel,
      to: message.to,
      text: message.text,
      parts: message.parts,
      isBounced: message.isBounced,
    }));
  },
});

/** The provider could not deliver a message. It may tell so more than once, and days later. */
export const bounced = internalMutation({
  args: { message: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const id = ctx.db.normalizeId("messages", args.message);
    const message = id === null ? null : await ctx.db.get("messages", id);
    if (message === null || message.isBounced) return null;
    await ctx.db.patch("messages", message._id, { isBounced: true });
    await giveQuotaBack(ctx, message);
    return null;
  },
});
