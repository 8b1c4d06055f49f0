// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { mayGive } from "../lib/roles";
import { getMember, getOpen } from "../members/roster";

export const GOOD_FOR = 7 * 24 * 60 * 60 * 1000;

/**
 * Return whether an invitation is good now: its time is not over, the workspace is open, and whoever
 * sent it may still give its role there. Those that are over for another reason are deleted.
 */
export async function isGood(ctx: QueryCtx, invitation: Doc<"invitations">): Promise<boolean> {
  const { workspace, sender, role, expiresAt } = invitation;
  if (expiresAt <= Date.now() || (await getOpen(ctx, workspace)) === null) {
    return false;
  }
  const member = await getMember(ctx, workspace, sender);
  return member !== null && mayGive(member.role, role);
}
