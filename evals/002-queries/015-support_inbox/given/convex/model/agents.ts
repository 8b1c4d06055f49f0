// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";

/** The agent who calls; nobody else sees what customers write. */
export async function requireAgent(ctx: QueryCtx): Promise<Doc<"agents">> {
  const identity = await ctx.auth.getUserIdentity();
  if (identity === null) throw new ConvexError("not signed in");
  const agent = await ctx.db
    .query("agents")
    .withIndex("by_token", (q) => q.eq("token", identity.tokenIdentifier))
    .unique();
  if (agent === null) throw new ConvexError("not an agent");
  return agent;
}

/** The snooze of anything ends later than now. */
export function checkUntil(until: number) {
  if (!(until > Date.now())) throw new ConvexError("not in the future");
}
