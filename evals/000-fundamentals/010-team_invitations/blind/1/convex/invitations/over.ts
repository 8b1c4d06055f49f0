// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { addressOf } from "../users/find";

/** Delete the invitations to an address into a workspace. */
export async function dropInvitations(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  address: string,
): Promise<void> {
  const invitations = await ctx.db
    .query("invitations")
    .withIndex("by_workspace_and_emailKey", (q) =>
      q.eq("workspace", workspace).eq("emailKey", address),
    )
    .collect();
  for (const invitation of invitations) {
    await ctx.db.delete("invitations", invitation._id);
  }
}

/**
 * An invitation is over once its address is a member's: to be called wherever somebody becomes a
 * member.
 */
export async function becameMember(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  user: Doc<"users"> | null,
): Promise<void> {
  const address = user === null ? null : addressOf(user);
  if (address !== null) {
    await dropInvitations(ctx, workspace, address);
  }
}

/** The same, wherever somebody gets an address who may be a member of workspaces already. */
export async function gotAddress(ctx: MutationCtx, user: Doc<"users">): Promise<void> {
  const address = addressOf(user);
  if (address === null) {
    return;
  }
  const invitations = await ctx.db
    .query("invitations")
    .withIndex("by_emailKey", (q) => q.eq("emailKey", address))
    .collect();
  for (const { _id, workspace } of invitations) {
    const member = await ctx.db
      .query("members")
      .withIndex("by_workspace_and_user", (q) => q.eq("workspace", workspace).eq("user", user._id))
      .unique();
    if (member !== null) {
      await ctx.db.delete("invitations", _id);
    }
  }
}
