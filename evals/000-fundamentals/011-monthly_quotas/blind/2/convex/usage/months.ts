// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "../_generated/dataModel";
import { query, type QueryCtx } from "../_generated/server";
import { requireAccount } from "../accounts/manage";
import { usedIn } from "./count";

/** Return what counted for an account of the caller in a month, in all and for each project. */
export const get = query({
  args: { account: v.id("accounts"), month: v.string() },
  returns: v.object({
    used: v.number(),
    projects: v.array(v.object({ name: v.string(), used: v.number() })),
  }),
  handler: async (ctx, { account, month }) => {
    await requireAccount(ctx, account);
    const parts = await ctx.db
      .query("projectMonths")
      .withIndex("by_account_and_month_and_project", (q) =>
        q.eq("account", account).eq("month", month),
      )
      .collect();
    return {
      used: await usedIn(ctx, account, month),
      projects: await Promise.all(
        parts
          .filter(({ used }) => used > 0)
          .map(async ({ project, used }) => ({ name: await nameOf(ctx, project), used })),
      ),
    };
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
    .unique();
  return former?.name ?? "";
}
