// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { boardKey, votes } from "./model/counts";

/** Spreads the counts of boards evenly over their shards again. */
export const rebalance = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    const boards = await ctx.db.query("boards").take(50);
    for (const { _id } of boards) await votes.rebalance(ctx, boardKey(_id));
    return null;
  },
});
