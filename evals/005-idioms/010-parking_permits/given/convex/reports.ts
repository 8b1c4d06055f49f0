// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { DAY } from "./model/days";
import { requireRole } from "./model/session";

/** The takings of a day, which is given such as "2027-03-31". */
export const takings = query({
  args: { day: v.string() },
  returns: v.number(),
  handler: async (ctx, { day }) => {
    await requireRole(ctx, "staff");
    const midnight = Date.parse(`${day}T00:00:00Z`);
    const payments = await ctx.db
      .query("payments")
      .withIndex("by_at", (q) => q.gte("at", midnight).lt("at", midnight + DAY))
      .collect();
    return payments.reduce((sum, { amount }) => sum + amount, 0);
  },
});
