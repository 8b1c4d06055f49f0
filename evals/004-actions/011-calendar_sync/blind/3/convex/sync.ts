// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "./_generated/server";
import { getOwnCalendar } from "./model/access";
import { beginSync } from "./model/syncs";

/** The button "Sync now" of a connected calendar. */
export const now = mutation({
  args: { calendar: v.id("calendars") },
  returns: v.null(),
  handler: async (ctx, { calendar: id }) => {
    const { remote } = await getOwnCalendar(ctx, id);
    if (remote !== undefined) await beginSync(ctx, id);
    return null;
  },
});
