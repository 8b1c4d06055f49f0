// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation } from "../_generated/server";
import { requireUser } from "../lib/session";
import { DAY_MS, MINUTE_MS } from "../lib/time";
import { changeByUser } from "../model/pushes";

/** "I am late": moves the rest of the user's day, in all calendars. Returns the number of events. */
export const restOfDay = mutation({
  args: { from: v.number(), minutes: v.number() },
  returns: v.number(),
  handler: async (ctx, { from, minutes }) => {
    const owner = await requireUser(ctx);
    const midnight = (Math.floor(from / DAY_MS) + 1) * DAY_MS;
    const events = await ctx.db
      .query("events")
      .withIndex("by_owner_and_away_and_start", (q) =>
        q.eq("owner", owner).eq("away", undefined).gte("start", from).lt("start", midnight),
      )
      .take(100);
    for (const event of events) {
      const start = event.start + minutes * MINUTE_MS;
      const end = event.end + minutes * MINUTE_MS;
      await changeByUser(ctx, event, { start, end });
    }
    return events.length;
  },
});
