// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { FunctionHandle } from "convex/server";
import { ConvexError, v, type Infer } from "convex/values";

import { mutation, query, type MutationCtx } from "./_generated/server";
import { dayOf, getDay, leftToday, perDay, today } from "./limits";

/** A mutation of the app, and the arguments with which it is called. */
const callback = v.object({ handle: v.string(), args: v.record(v.string(), v.string()) });

/**
 * Takes an amount of an account's quota of today, or refuses it with the code "over_quota". If less than
 * a fifth of the quota is left then, `onLow` is called, until it succeeds once on that day.
 */
export const take = mutation({
  args: { account: v.string(), amount: v.number(), onLow: callback },
  returns: v.null(),
  handler: async (ctx, { account, amount, onLow }) => {
    const left = await leftToday(ctx, account);
    if (amount > left) throw new ConvexError({ code: "over_quota" });
    const day = today();
    const row = await getDay(ctx, account, day);
    let id = row?._id;
    if (row === null) id = await ctx.db.insert("days", { account, day, used: amount });
    else await ctx.db.patch("days", row._id, { used: row.used + amount });

    const isLow = (left - amount) * 5 < perDay();
    if (id !== undefined && isLow && row?.isLowTold !== true && (await succeeds(ctx, onLow))) {
      await ctx.db.patch("days", id, { isLowTold: true });
    }
    return null;
  },
});

/** Calls back. If that fails, nothing of it remains. */
async function succeeds(
  ctx: MutationCtx,
  { handle, args }: Infer<typeof callback>,
): Promise<boolean> {
  try {
    await ctx.runMutation(handle as FunctionHandle<"mutation", Record<string, string>, null>, args);
    return true;
  } catch {
    return false;
  }
}

/** Gives back an amount that was taken at some moment: it can be used again on the same day. */
export const giveBack = mutation({
  args: { account: v.string(), amount: v.number(), takenAt: v.number() },
  returns: v.null(),
  handler: async (ctx, { account, amount, takenAt }) => {
    const row = await getDay(ctx, account, dayOf(takenAt));
    if (row !== null) {
      await ctx.db.patch("days", row._id, { used: Math.max(0, row.used - amount) });
    }
    return null;
  },
});

/** Whether an account may still use an amount today. */
export const fits = query({
  args: { account: v.string(), amount: v.number() },
  returns: v.boolean(),
  handler: async (ctx, { account, amount }) => amount <= (await leftToday(ctx, account)),
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
