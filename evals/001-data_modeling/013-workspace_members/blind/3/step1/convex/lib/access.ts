// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { refuse } from "./errors";
import { findMember, type Found } from "./members";
import { isAtLeast, type Role } from "./roles";

export async function requireUser(ctx: QueryCtx): Promise<{ user: string; name: string }> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) refuse("signed_out");
  return { user: identity.subject, name: await nameOf(ctx, identity.subject) };
}

export async function findPerson(ctx: QueryCtx, user: string): Promise<Doc<"people"> | null> {
  return await ctx.db
    .query("people")
    .withIndex("by_user", (q) => q.eq("user", user))
    .unique();
}

/** Who never told a name is called like the account. */
export async function nameOf(ctx: QueryCtx, user: string): Promise<string> {
  return (await findPerson(ctx, user))?.name ?? user;
}

/** Returns a workspace in which the caller has this role or a higher one. */
export async function requireRole(
  ctx: QueryCtx,
  id: Id<"workspaces">,
  needed: Role,
): Promise<{ workspace: Doc<"workspaces">; me: Found }> {
  const { user } = await requireUser(ctx);
  const workspace = await ctx.db.get("workspaces", id);
  const me = workspace === null ? undefined : await findMember(ctx, workspace, user);
  // Strangers are not told whether there is such a workspace.
  if (workspace === null || me === undefined) refuse("no_workspace");
  if (!isAtLeast(me.role, needed)) refuse("not_allowed");
  return { workspace, me };
}
