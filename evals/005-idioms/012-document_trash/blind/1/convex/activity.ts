// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireMember } from "./model/access";

const MOST_SHOWN = 20;

/** What happened in a workspace, the latest first. */
export const latest = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ title: v.string(), kind: v.string() })),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const activities = await ctx.db
      .query("activities")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace).eq("trashed", undefined))
      .order("desc")
      .take(MOST_SHOWN);
    return await Promise.all(
      activities.map(async ({ document, kind }) => ({
        title: (await ctx.db.get("documents", document))?.title ?? "",
        kind,
      })),
    );
  },
});
