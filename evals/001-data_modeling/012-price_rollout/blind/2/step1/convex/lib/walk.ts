// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { MutationCtx } from "../_generated/server";

/**
 * Called where lines of an order that exists get the old form: the next step's walk over the orders
 * (there is one only if that step was deployed and taken back) has to begin anew.
 */
export async function restartWalk(ctx: MutationCtx): Promise<void> {
  const walk = await ctx.db.query("rollout").first();
  if (walk !== null) await ctx.db.delete("rollout", walk._id);
}
