// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { mayGive } from "../lib/roles";
import { getMember, getOpen } from "../members/roster";

/** How long an invitation is good. */
export const GOOD_FOR = 7 * 24 * 60 * 60 * 1000;

/** Return whether whoever sent an invitation may still give its role there. */
export async function isBacked(ctx: QueryCtx, invitation: Doc<"invitations">): Promise<boolean> {
  const sender = await getMember(ctx, invitation.workspace, invitation.sender);
  return sender !== null && mayGive(sender.role, invitation.role);
}

/** Return the workspace to which an invitation invites; null if the invitation is no good. */
export async function workspaceOf(
  ctx: QueryCtx,
  invitation: Doc<"invitations">,
): Promise<Doc<"workspaces"> | null> {
  if (invitation.expiresAt <= Date.now() || !(await isBacked(ctx, invitation))) {
    return null;
  }
  return await getOpen(ctx, invitation.workspace);
}
