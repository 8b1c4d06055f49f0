// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { today } from "./lib/days";
import { makeStep, nextStep } from "./model/coming";

const MAX_STEPS = 100;

/**
 * Makes what has come by itself up to today happen, a part in each call, and returns whether all is
 * done. The index has the oldest first and, on one day, the subscription that was started first.
 */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const day = today();
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const subscription = await ctx.db
        .query("subscriptions")
        .withIndex("by_next", (q) => q.gt("next", null).lte("next", day))
        .first();
      if (subscription === null || subscription.next === null) return true;
      await makeStep(ctx, await nextStep(ctx, subscription, subscription.next));
    }
    return false;
  },
});
