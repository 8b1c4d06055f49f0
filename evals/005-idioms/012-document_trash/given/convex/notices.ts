// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireMember } from "./model/access";

/** What a member was told, the latest first. */
export const mine = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.string()),
  handler: async (ctx, { workspace }) => {
    const member = await requireMember(ctx, workspace);
    const notices = await ctx.db
      .query("notices")
      .withIndex("by_member", (q) => q.eq("member", member._id))
      .order("desc")
      .take(50);
    return notices.map(({ text }) => text);
  },
});
