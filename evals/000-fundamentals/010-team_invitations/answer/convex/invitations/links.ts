// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { mayGive } from "../lib/roles";
import { getMember, getOpen } from "../members/roster";
import { addressOf } from "../users/find";

/** Return a token of 256 random bits. */
export function makeToken(): string {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

/** Return what is stored of a token: the token cannot be computed from it. */
export async function hashToken(token: string): Promise<string> {
  return hex(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))),
  );
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return whether an invitation can be used now. */
export async function isGood(ctx: QueryCtx, invitation: Doc<"invitations">): Promise<boolean> {
  if (invitation.usedBy !== undefined || invitation.expiresAt <= Date.now()) {
    return false;
  }
  if ((await getOpen(ctx, invitation.workspace)) === null) {
    return false;
  }
  const sender = await getMember(ctx, invitation.workspace, invitation.sender);
  return sender !== null && mayGive(sender.role, invitation.role);
}

/** Return the invitations of an address that nobody has used: never many. */
export async function listUnused(
  ctx: QueryCtx,
  workspace: Id<"workspaces">,
  address: string,
): Promise<Doc<"invitations">[]> {
  const invitations = await ctx.db
    .query("invitations")
    .withIndex("by_workspace_and_address", (q) =>
      q.eq("workspace", workspace).eq("address", address),
    )
    .take(100);
  return invitations.filter((invitation) => invitation.usedBy === undefined);
}

/** Delete the unused invitations of somebody who has become a member. */
export async function endInvitations(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  id: Id<"users">,
): Promise<void> {
  const user = await ctx.db.get("users", id);
  const address = user === null ? null : addressOf(user);
  if (address !== null) {
    for (const invitation of await listUnused(ctx, workspace, address)) {
      await ctx.db.delete("invitations", invitation._id);
    }
  }
}
