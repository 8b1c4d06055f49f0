// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "../_generated/server";
import { requireUser } from "../lib/session";

/** The busy minutes of the days of a month, such as "2026-03". */
export const month = query({
  args: { month: v.string() },
  returns: v.array(v.object({ day: v.string(), minutes: v.number() })),
  handler: async (ctx, { month: wanted }) => {
    const owner = await requireUser(ctx);
    const days = await ctx.db
      .query("busy")
      .withIndex("by_owner_and_day", (q) =>
        q.eq("owner", owner).gte("day", `${wanted}-01`).lte("day", `${wanted}-31`),
      )
      .take(31);
    return days.map(({ day, minutes }) => ({ day, minutes }));
  },
});
