// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";

/** Return what is stored of a token: it tells whether a token is the same one, but not the token. */
export async function hashOf(token: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** End the invitation of an address (as it is compared) to a workspace, if there is one. */
export async function endInvitation(
  ctx: MutationCtx,
  workspace: Id<"workspaces">,
  email: string,
): Promise<void> {
  const invitations = await ctx.db
    .query("invitations")
    .withIndex("by_workspace_and_email", (q) => q.eq("workspace", workspace).eq("email", email))
    .collect();
  for (const invitation of invitations) {
    await ctx.db.delete("invitations", invitation._id);
  }
}
