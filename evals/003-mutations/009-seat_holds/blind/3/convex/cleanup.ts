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
    let isMore = false;
    for (const state of ["cancelled", "lapsed"] as const) {
      const bookings = await ctx.db
        .query("bookings")
        .withIndex("by_state_and_changedAt", (q) =>
          q.eq("state", state).lt("changedAt", Date.now() - KEEP_MS),
        )
        .take(BATCH);
      for (const { _id } of bookings) await ctx.db.delete("bookings", _id);
      if (bookings.length === BATCH) isMore = true;
    }
    if (isMore) await ctx.scheduler.runAfter(0, internal.cleanup.run, {});
    return null;
  },
});
