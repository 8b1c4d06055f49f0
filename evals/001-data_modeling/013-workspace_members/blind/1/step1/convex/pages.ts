// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx, type QueryCtx } from "./_generated/server";
import { requireRole } from "./lib/access";
import { refuse } from "./lib/errors";
import { findMember } from "./lib/members";

const MOST_ASSIGNED = 100;

export const create = mutation({
  args: { workspace: v.id("workspaces"), title: v.string() },
  handler: async (ctx, { workspace, title }) => {
    await requireRole(ctx, workspace, "member");
    return await ctx.db.insert("pages", { workspace, title });
  },
});

/** Gives a page to a member, or to nobody. */
export const assign = mutation({
  args: { page: v.id("pages"), user: v.union(v.string(), v.null()) },
  handler: async (ctx, { page: id, user }) => {
    const page = await ctx.db.get("pages", id);
    if (page === null) refuse("no_page");
    const { workspace } = await requireRole(ctx, page.workspace, "member");
    if (user !== null && (await findMember(ctx, workspace, user)) === undefined) refuse("no_member");
    if (user !== null && (await listAssigned(ctx, page.workspace, user)).length >= MOST_ASSIGNED) {
      refuse("too_many");
    }
    await ctx.db.patch("pages", id, { assignee: user ?? undefined });
    return null;
  },
});

/** The pages of a member. */
export const assigned = query({
  args: { workspace: v.id("workspaces"), user: v.string() },
  handler: async (ctx, { workspace, user }) => {
    await requireRole(ctx, workspace, "guest");
    const pages = await listAssigned(ctx, workspace, user);
    return pages.map(({ _id, title }) => ({ page: _id, title }));
  },
});

async function listAssigned(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
  user: string,
) {
  return await ctx.db
    .query("pages")
    .withIndex("by_workspace_and_assignee", (q) =>
      q.eq("workspace", workspace).eq("assignee", user),
    )
    .take(MOST_ASSIGNED);
}

/** Who is no member any more has no pages: call this wherever somebody leaves. */
export async function unassign(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  user: string,
): Promise<void> {
  for (const page of await listAssigned(ctx, workspace, user)) {
    await ctx.db.patch("pages", page._id, { assignee: undefined });
  }
}
