// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { query, type MutationCtx } from "./_generated/server";
import { requireMember } from "./members/roster";

/** Tell a workspace what happened in it. */
export async function tell(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  text: string,
): Promise<void> {
  await ctx.db.insert("activity", { workspace, text, at: Date.now() });
}

export const recent = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ text: v.string(), at: v.number() })),
  handler: async (ctx, { workspace }) => {
    await requireMember(ctx, workspace);
    const entries = await ctx.db
      .query("activity")
      .withIndex("by_workspace", (q) => q.eq("workspace", workspace))
      .order("desc")
      .take(30);
    return entries.map(({ text, at }) => ({ text, at }));
  },
});
