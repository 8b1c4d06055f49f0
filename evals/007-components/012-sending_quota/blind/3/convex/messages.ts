// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { components } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { requireMember } from "./lib/access";
import { putOut } from "./lib/outbox";
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

/**
 * Sends one of several messages, as a mutation of its own: if it is refused, and the caller
 * catches that, all that was done for it is undone, and nothing else.
 */
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
    return await ctx.db
      .query("messages")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .order("desc")
      .take(100);
  },
});

/**
 * The provider could not deliver a message, which is then not paid. It may tell so more than once,
 * and days later.
 */
export const bounced = internalMutation({
  args: { message: v.string() },
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const id = ctx.db.normalizeId("messages", args.message);
    if (id === null) return null;
    const message = await ctx.db.get("messages", id);
    if (message === null || message.isBounced) return null;
    await ctx.db.patch("messages", id, { isBounced: true });
    await ctx.runMutation(components[message.channel].usage.giveBack, {
      account: message.workspace,
      amount: message.parts,
      takenAt: message._creationTime,
    });
    return null;
  },
});
