// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation } from "./_generated/server";
import { KEEP_MS } from "./lib/rules";

const BATCH = 100;

/** Deletes bookings that came to nothing long ago. */
export const run = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    let left = BATCH;
    for (const state of ["cancelled", "lapsed"] as const) {
      if (left === 0) break;
      const bookings = await ctx.db
        .query("bookings")
        .withIndex("by_state_and_changedAt", (q) =>
          q.eq("state", state).lt("changedAt", Date.now() - KEEP_MS),
        )
        .take(left);
      for (const { _id } of bookings) await ctx.db.delete("bookings", _id);
      left -= bookings.length;
    }
    if (left === 0) await ctx.scheduler.runAfter(0, internal.cleanup.run, {});
    return null;
  },
});
