// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { mutation } from "./_generated/server";
import { getOwnCalendar } from "./model/access";

/** The button "Sync now" of a connected calendar. */
export const now = mutation({
  args: { calendar: v.id("calendars") },
  returns: v.null(),
  handler: async (ctx, { calendar: id }) => {
    const { remote } = await getOwnCalendar(ctx, id);
    if (remote !== undefined) {
      await ctx.scheduler.runAfter(0, internal.kalendo.syncing.begin, { calendar: id });
    }
    return null;
  },
});
