// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { FunctionHandle } from "convex/server";
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";
import { getDay, perDay, today } from "./limits";

/** What the app is told with, as soon as less than a fifth of the quota is left. */
type OnLow = FunctionHandle<"mutation", { workspace: string; channel: string }, null>;

/**
 * Takes an amount of an account's quota of today, or refuses it with the code "over_quota". Returns
 * the day. `onLow` is called once a day, when little is left.
 */
export const take = mutation({
  args: { account: v.string(), amount: v.number(), channel: v.string(), onLow: v.string() },
  returns: v.number(),
  handler: async (ctx, { account, amount, channel, onLow }) => {
    const day = today();
    const row = await getDay(ctx, account, day);
    const used = (row?.used ?? 0) + amount;
    if (used > perDay()) throw new ConvexError({ code: "over_quota" });
    const id = row?._id ?? (await ctx.db.insert("days", { account, day, used }));
    await ctx.db.patch("days", id, { used });
    if (row?.isLowTold === true || (perDay() - used) * 5 >= perDay()) return day;
    try {
      await ctx.runMutation(onLow as OnLow, { workspace: account, channel });
    } catch (error) {
      // The next message tries it again.
      console.warn("nobody was told that little is left", account, channel, error);
      return day;
    }
    await ctx.db.patch("days", id, { isLowTold: true });
    return day;
  },
});

/** Gives back an amount that was taken on a day. */
export const giveBack = mutation({
  args: { account: v.string(), amount: v.number(), day: v.number() },
  returns: v.null(),
  handler: async (ctx, { account, amount, day }) => {
    const row = await getDay(ctx, account, day);
    if (row !== null) {
      await ctx.db.patch("days", row._id, { used: Math.max(0, row.used - amount) });
    }
    return null;
  },
});

/** What an account may still use today. */
export const left = query({
  args: { account: v.string() },
  returns: v.number(),
  handler: async (ctx, { account }) => {
    const row = await getDay(ctx, account, today());
    return Math.max(0, perDay() - (row?.used ?? 0));
  },
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
