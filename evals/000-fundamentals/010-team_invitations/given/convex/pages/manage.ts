// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "../_generated/server";
import { fail } from "../lib/errors";
import { requireMember } from "../members/roster";

export const write = mutation({
  args: { workspace: v.id("workspaces"), title: v.string(), text: v.string() },
  returns: v.id("pages"),
  handler: async (ctx, args) => {
    const { role } = await requireMember(ctx, args.workspace);
    if (role === "guest") {
      throw fail("not_allowed");
    }
    return await ctx.db.insert("pages", args);
  },
});

export const list = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ title: v.string(), text: v.string() })),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const pages = await ctx.db
      .query("pages")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .take(100);
    return pages.map(({ title, text }) => ({ title, text }));
  },
});
