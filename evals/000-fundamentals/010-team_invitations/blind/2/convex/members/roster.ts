// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/**
 * Who is in a workspace. Members who take a seat are counted in `seatsTaken` of the workspace,
 * which is never above the seats of its plan.
 */
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { endInvitation } from "../invitations/store";
import { fail } from "../lib/errors";
import { SEATS } from "../lib/plans";
import { takesSeat, type Role } from "../lib/roles";
import { addressOf, requireUser } from "../users/find";

/** Return a workspace; one that was closed is as good as gone. */
export async function getOpen(
  ctx: QueryCtx,
  id: Id<"workspaces">,
): Promise<Doc<"workspaces"> | null> {
  const workspace = await ctx.db.get("workspaces", id);
  return workspace?.closedAt === undefined ? workspace : null;
}

export async function getMember(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
  user: Id<"users">,
): Promise<Doc<"members"> | null> {
  return await ctx.db
    .query("members")
    .withIndex("by_workspace_and_user", (q) => q.eq("workspace", workspace).eq("user", user))
    .unique();
}

/** Return the caller's membership of an open workspace. */
export async function requireMember(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
): Promise<Doc<"members">> {
  const user = await requireUser(ctx);
  const member =
    (await getOpen(ctx, workspace)) === null ? null : await getMember(ctx, workspace, user._id);
  if (member === null) {
    throw fail("not_allowed");
  }
  return member;
}

/**
 * Make somebody a member of an open workspace. Who joins by an invitation keeps the hash of its
 * token.
 */
export async function enter(
  ctx: MutationCtx,
  workspace: Doc<"workspaces">,
  user: Id<"users">,
  role: Role,
  joinedWith?: string,
): Promise<void> {
  if ((await getMember(ctx, workspace._id, user)) !== null) {
    throw fail("already_member");
  }
  await changeSeats(ctx, workspace._id, takesSeat(role) ? 1 : 0);
  await ctx.db.insert("members", { workspace: workspace._id, user, role, joinedWith });
  await endInvitationOf(ctx, workspace._id, user);
}

/** End the invitation of somebody's address to a workspace that they are a member of. */
export async function endInvitationOf(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  id: Id<"users">,
): Promise<void> {
  const user = await ctx.db.get("users", id);
  const address = user === null ? null : addressOf(user);
  if (address !== null) {
    await endInvitation(ctx, workspace, address);
  }
}

/** Take a member out of the workspace. */
export async function leave(ctx: MutationCtx, member: Doc<"members">): Promise<void> {
  await changeSeats(ctx, member.workspace, takesSeat(member.role) ? -1 : 0);
  await ctx.db.delete("members", member._id);
}

export async function changeRole(
  ctx: MutationCtx,
  member: Doc<"members">,
  role: Role,
): Promise<void> {
  const change = Number(takesSeat(role)) - Number(takesSeat(member.role));
  await changeSeats(ctx, member.workspace, change);
  await ctx.db.patch("members", member._id, { role });
}

async function changeSeats(
  ctx: MutationCtx,
  id: Id<"workspaces">,
  by: number,
): Promise<void> {
  const workspace = await ctx.db.get("workspaces", id);
  if (workspace === null || by === 0) {
    return;
  }
  const seatsTaken = workspace.seatsTaken + by;
  if (by > 0 && seatsTaken > SEATS[workspace.plan]) {
    throw fail("no_seat");
  }
  await ctx.db.patch("workspaces", id, { seatsTaken });
}
