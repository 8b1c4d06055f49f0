// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "../_generated/dataModel";
import { query, type QueryCtx } from "../_generated/server";
import { requireAccount } from "../accounts/manage";

/** Return what counted for an account in a month, in all and for each project. */
export const get = query({
  args: { account: v.id("accounts"), month: v.string() },
  returns: v.object({
    used: v.number(),
    projects: v.array(v.object({ name: v.string(), used: v.number() })),
  }),
  handler: async (ctx, { account, month }) => {
    await requireAccount(ctx, account);
    const total = await ctx.db
      .query("usedMonths")
      .withIndex("by_account_and_month", (q) => q.eq("account", account).eq("month", month))
      .unique();
    // One for each project that had images tagged in the month.
    const rows = await ctx.db
      .query("usedProjects")
      .withIndex("by_account_and_month_and_project", (q) =>
        q.eq("account", account).eq("month", month),
      )
      .collect();
    const projects = await Promise.all(
      rows
        .filter((row) => row.used !== 0)
        .map(async ({ project, used }) => ({ name: await nameOf(ctx, project), used })),
    );
    return { used: total?.used ?? 0, projects };
  },
});

/** Return the name of a project, or the last that it had. */
async function nameOf(ctx: QueryCtx, id: Id<"projects">): Promise<string> {
  const project = await ctx.db.get("projects", id);
  if (project !== null) {
    return project.name;
  }
  const former = await ctx.db
    .query("formerProjects")
    .withIndex("by_project", (q) => q.eq("project", id))
    .first();
  return former?.name ?? "";
}
