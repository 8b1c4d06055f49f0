// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { today } from "./lib/days";
import { catchUp } from "./model/billing";

const BATCH = 100;

/** Writes what is due up to today; returns whether that is all. */
export const run = internalMutation({
  args: {},
  returns: v.boolean(),
  handler: async (ctx) => {
    let room = BATCH;
    while (room > 0) {
      const late = await ctx.db
        .query("subscriptions")
        .withIndex("by_next", (q) => q.gt("nextOn", "").lte("nextOn", today()))
        .first();
      if (late === null) return true;
      room -= await catchUp(ctx, late.customer, room);
    }
    return false;
  },
});
