// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { requireAccount } from "../accounts/manage";
import { fail } from "../lib/errors";

/** Return a project; one that was deleted is as good as gone. */
export async function getProject(
  ctx: QueryCtx,
  id: Id<"projects">,
): Promise<Doc<"projects"> | null> {
  const project = await ctx.db.get("projects", id);
  return project?.deletedAt === undefined ? project : null;
}

/** Return a project of the caller. */
export async function requireProject(
  ctx: QueryCtx,
  id: Id<"projects">,
): Promise<Doc<"projects">> {
  const project = await getProject(ctx, id);
  if (project === null) {
    throw fail("not_found");
  }
  await requireAccount(ctx, project.account);
  return project;
}
