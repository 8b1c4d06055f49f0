// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

/** Counts have no shards any more. This stays for runs that were scheduled before. */
export const rebalance = internalMutation({
  args: {},
  returns: v.null(),
  handler: () => null,
});
