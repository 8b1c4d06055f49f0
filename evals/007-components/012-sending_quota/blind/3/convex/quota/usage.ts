// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { FunctionHandle } from "convex/server";
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { dayOf, findDay, isLow, perDay } from "./limits";

type OnLow = FunctionHandle<"mutation", { workspace: string; channel: string }>;

/**
 * Takes an amount of an account's quota of today, or refuses it with the code "over_quota". The
 * mutation with the handle `onLow` is called, once a day, when little is left then.
 */
export const take = mutation({
  args: { account: v.string(), amount: v.number(), channel: v.string(), onLow: v.string() },
  returns: v.null(),
  handler: async (ctx, { account, amount, channel, onLow }): Promise<null> => {
    const day = dayOf(Date.now());
    const row = await findDay(ctx, account, day);
    const used = (row === null ? 0 : row.used) + amount;
    const fits = used <= perDay();
    if (!fits) throw new ConvexError({ code: "over_quota" });
    let isLowTold = row?.isLowTold ?? false;
    if (!isLowTold && isLow(used)) {
      isLowTold = await tellLow(ctx, onLow as OnLow, { workspace: account, channel });
    }
    if (row === null) await ctx.db.insert("days", { account, day, used, isLowTold });
    else await ctx.db.patch("days", row._id, { used, isLowTold });
    return null;
  },
});

/** Calls the app back and returns whether that succeeded. If not, only the call is undone. */
async function tellLow(
  ctx: MutationCtx,
  onLow: OnLow,
  args: { workspace: string; channel: string },
): Promise<boolean> {
  try {
    await ctx.runMutation(onLow, args);
    return true;
  } catch (error) {
    console.warn("could not tell that little is left", error);
    return false;
  }
}

/**
 * Gives back an amount that an account took at some moment: it counts no more for the day of that
 * moment, so it can be used again if that is today.
 */
export const giveBack = mutation({
  args: { account: v.string(), amount: v.number(), takenAt: v.number() },
  returns: v.null(),
  handler: async (ctx, { account, amount, takenAt }) => {
    const row = await findDay(ctx, account, dayOf(takenAt));
    if (row === null) return null;
    await ctx.db.patch("days", row._id, { used: Math.max(0, row.used - amount) });
    return null;
  },
});

/** What an account may still use today. */
export const left = query({
  args: { account: v.string() },
  returns: v.number(),
  handler: async (ctx, { account }) => {
    const row = await findDay(ctx, account, dayOf(Date.now()));
    return row === null ? perDay() : Math.max(0, perDay() - row.used);
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
