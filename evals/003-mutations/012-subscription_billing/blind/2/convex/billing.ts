// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { today } from "./lib/days";
import { takeStep } from "./model/billing";

/** The most invoices that a call writes. */
const MAX_INVOICES = 100;

/** The most that a call does, with what writes no invoice. */
const MAX_STEPS = 300;

/** Does what has come by itself up to today. Returns whether all is done. */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    const day = today();
    let invoices = 0;
    for (let steps = 0; ; steps++) {
      const next = await ctx.db
        .query("subscriptions")
        .withIndex("by_next", (q) => q.gte("nextOn", "").lte("nextOn", day))
        .first();
      if (next === null) return true;
      if (invoices === MAX_INVOICES || steps === MAX_STEPS) return false;
      if (await takeStep(ctx, next)) invoices++;
    }
  },
});
