// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { addressOf } from "../users/find";

/** Delete what invites an address to a workspace. */
export async function endFor(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  emailKey: string,
): Promise<void> {
  const invitations = await ctx.db
    .query("invitations")
    .withIndex("by_workspace_and_emailKey", (q) =>
      q.eq("workspace", workspace).eq("emailKey", emailKey),
    )
    .collect();
  for (const invitation of invitations) {
    await ctx.db.delete("invitations", invitation._id);
  }
}

/**
 * End the invitation of somebody who is a member.
 *
 * Call it whenever somebody becomes a member, and whenever a member's address becomes theirs.
 */
export async function endForMember(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  user: Doc<"users">,
): Promise<void> {
  const address = addressOf(user);
  if (address !== null) {
    await endFor(ctx, workspace, address);
  }
}
