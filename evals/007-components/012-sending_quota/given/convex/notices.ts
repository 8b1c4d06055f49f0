// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

import { internalMutation, query } from "./_generated/server";
import { requireMember } from "./lib/access";
import { channel } from "./schema";

/** Tells a workspace's admins that little is left of a channel's quota. Somebody must be told. */
export const low = internalMutation({
  args: { workspace: v.id("workspaces"), channel },
  returns: v.null(),
  handler: async (ctx, args) => {
    const members = await ctx.db
      .query("members")
      .withIndex("by_workspace", (q) => q.eq("workspace", args.workspace))
      .take(500);
    for (const { user, isAdmin } of members) {
      if (isAdmin) await ctx.db.insert("notices", { ...args, user });
    }
    if (!members.some(({ isAdmin }) => isAdmin)) throw new Error("nobody to tell");
    return null;
  },
});

export const list = query({
  args: { workspace: v.id("workspaces") },
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    return await ctx.db
      .query("notices")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .take(100);
  },
});
