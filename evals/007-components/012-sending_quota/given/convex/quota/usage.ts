// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";
import { dayLimit, leftToday, limiter, perDay, today } from "./limits";

/** Takes an amount of an account's quota of today, or refuses it with the code "over_quota". */
export const take = mutation({
  args: { account: v.string(), amount: v.number() },
  returns: v.null(),
  handler: async (ctx, { account, amount }) => {
    const fits =
      amount <= perDay() &&
      (await limiter.limit(ctx, "day", { key: account, count: amount, config: dayLimit() })).ok;
    if (!fits) throw new ConvexError({ code: "over_quota" });
    const row = await ctx.db
      .query("days")
      .withIndex("by_account", (q) => q.eq("account", account).eq("day", today()))
      .unique();
    if (row === null) await ctx.db.insert("days", { account, day: today(), used: amount });
    else await ctx.db.patch("days", row._id, { used: row.used + amount });
    return null;
  },
});

/** What an account may still use today. */
export const left = query({
  args: { account: v.string() },
  returns: v.number(),
  handler: async (ctx, { account }) => await leftToday(ctx, account),
});

/** What an account used in some days, for the report. */
export const used = query({
  args: { account: v.string(), from: v.number(), to: v.number() },
  returns: v.number(),
  handler: async (ctx, { account, from, to }) => {
    const rows = await ctx.db
      .query("days")
      .withIndex("by_account", (q) => q.eq("account", account).gte("day", from).lt("day", to))
      .take(400);
    return rows.reduce((sum, row) => sum + row.used, 0);
  },
});
