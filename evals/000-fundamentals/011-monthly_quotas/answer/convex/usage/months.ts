// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { requireAccount } from "../accounts/manage";
import { query } from "../_generated/server";
import { listUsage } from "./count";

export const get = query({
  args: { account: v.id("accounts"), month: v.string() },
  returns: v.object({
    used: v.number(),
    projects: v.array(v.object({ name: v.string(), used: v.number() })),
  }),
  handler: async (ctx, { account, month }) => {
    await requireAccount(ctx, account);
    const rows = await listUsage(ctx, { account, month });
    const projects = [];
    for (const { project: id, used } of rows) {
      const project = await ctx.db.get("projects", id);
      const former = await ctx.db
        .query("formerProjects")
        .withIndex("by_project", (q) => q.eq("project", id))
        .unique();
      projects.push({ name: project?.name ?? former?.name ?? "", used });
    }
    return { used: rows.reduce((sum, row) => sum + row.used, 0), projects };
  },
});
