// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

export async function findBySlug(ctx: QueryCtx, workspace: Id<"workspaces">, slug: string) {
  return await ctx.db
    .query("documents")
    .withIndex("by_slug", (q) =>
      q.eq("workspace", workspace).eq("trash", undefined).eq("slug", slug),
    )
    .unique();
}

/** The first free one of "my-title", "my-title-2", "my-title-3" … */
export async function freeSlug(ctx: QueryCtx, workspace: Id<"workspaces">, title: string) {
  const plain = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const base = plain === "" ? "untitled" : plain;
  let slug = base;
  for (let n = 2; (await findBySlug(ctx, workspace, slug)) !== null; n += 1) slug = `${base}-${n}`;
  return slug;
}
