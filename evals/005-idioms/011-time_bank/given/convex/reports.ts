// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireMember, requireStaff } from "./lib/session";

/** All members have together what they owe together: the sum is zero. */
export const totals = query({
  args: {},
  returns: v.object({ members: v.number(), sum: v.number() }),
  handler: async (ctx) => {
    await requireStaff(ctx);
    const members = await ctx.db.query("members").collect();
    return {
      members: members.length,
      sum: members.reduce((sum, { balance }) => sum + balance, 0),
    };
  },
});

/** The caller's newest entries. */
export const statement = query({
  args: {},
  handler: async (ctx) => {
    const member = await requireMember(ctx);
    const entries = await ctx.db
      .query("entries")
      .withIndex("by_member", (q) => q.eq("member", member._id))
      .order("desc")
      .take(50);
    return await Promise.all(
      entries.map(async ({ booking, minutes }) => {
        const { text = "", at = 0 } = (await ctx.db.get("bookings", booking)) ?? {};
        return { text, at, minutes };
      }),
    );
  },
});

/** What the caller earned and spent, month by month. */
export const months = query({
  args: {},
  handler: async (ctx) => {
    const member = await requireMember(ctx);
    const months = await ctx.db
      .query("months")
      .withIndex("by_member", (q) => q.eq("member", member._id))
      .collect();
    return months.map(({ month, earned, spent }) => ({ month, earned, spent }));
  },
});
