// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

/** Our own counts need no rebalancing. Runs of the former cron may still be scheduled. */
export const rebalance = internalMutation({
  args: {},
  returns: v.null(),
  handler: () => null,
});
