// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { QueryCtx } from "../_generated/server";
import { refuse } from "./errors";

/** Returns the subject of the signed-in user. */
export async function requireUser(ctx: QueryCtx): Promise<string> {
  const identity = await ctx.auth.getUserIdentity();
  return identity === null ? refuse("not_signed_in") : identity.subject;
}
