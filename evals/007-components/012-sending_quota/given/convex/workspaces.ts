// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { components } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";
import { refusal, requireMember } from "./lib/access";
import { channel } from "./schema";

/** Makes a workspace, whose first member and admin is the caller. */
export const create = mutation({
  args: { name: v.string(), apiKey: v.string() },
  returns: v.id("workspaces"),
  handler: async (ctx, args) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) throw refusal("no_access");
    const workspace = await ctx.db.insert("workspaces", { ...args, isSuspended: false });
    await ctx.db.insert("members", { workspace, user: identity.subject, isAdmin: true });
    return workspace;
  },
});

export const block = mutation({
  args: { workspace: v.id("workspaces"), address: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    await requireMember(ctx, args.workspace);
    await ctx.db.insert("blocks", args);
    return null;
  },
});

/** Makes the caller an admin or takes that away. */
export const setAdmin = mutation({
  args: { workspace: v.id("workspaces"), isAdmin: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { workspace, isAdmin }) => {
    const { _id } = await requireMember(ctx, workspace);
    await ctx.db.patch("members", _id, { isAdmin });
    return null;
  },
});

export const suspend = internalMutation({
  args: { workspace: v.id("workspaces"), isSuspended: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { workspace, isSuspended }) => {
    await ctx.db.patch("workspaces", workspace, { isSuspended });
    return null;
  },
});

/** What is left today in a channel. */
export const left = query({
  args: { workspace: v.id("workspaces"), channel },
  returns: v.number(),
  handler: async (ctx, args): Promise<number> => {
    await requireMember(ctx, args.workspace);
    const account = args.workspace;
    return await ctx.runQuery(components[args.channel].usage.left, { account });
  },
});

/** What was used in some days, which are counted from 1 January 1970. */
export const report = query({
  args: { workspace: v.id("workspaces"), channel, from: v.number(), to: v.number() },
  returns: v.number(),
  handler: async (ctx, { workspace, channel: of, from, to }): Promise<number> => {
    await requireMember(ctx, workspace);
    return await ctx.runQuery(components[of].usage.used, { account: workspace, from, to });
  },
});
