// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { FunctionHandle } from "convex/server";
import { ConvexError, v, type Infer } from "convex/values";

import { mutation, query, type MutationCtx } from "./_generated/server";
import { dayLimit, dayOf, leftToday, limiter, perDay, today } from "./limits";

/** A function of the app and its arguments, for when less than a fifth of a day's quota is left. */
const onLowValidator = v.object({ handle: v.string(), args: v.record(v.string(), v.string()) });

/** Takes an amount of an account's quota of today, or refuses it with the code "over_quota". */
export const take = mutation({
  args: { account: v.string(), amount: v.number(), onLow: v.optional(onLowValidator) },
  returns: v.null(),
  handler: async (ctx, { account, amount, onLow }) => {
    const fits =
      amount <= perDay() &&
      (await limiter.limit(ctx, "day", { key: account, count: amount, config: dayLimit() })).ok;
    if (!fits) throw new ConvexError({ code: "over_quota" });
    await changeUsed(ctx, account, today(), amount);
    if (onLow !== undefined) await tellOnce(ctx, account, onLow);
    return null;
  },
});

/** Gives back what was taken at some time: to the report, and to the quota if it was taken today. */
export const giveBack = mutation({
  args: { account: v.string(), amount: v.number(), takenAt: v.number() },
  returns: v.null(),
  handler: async (ctx, { account, amount, takenAt }) => {
    await changeUsed(ctx, account, dayOf(takenAt), -amount);
    if (dayOf(takenAt) === today()) {
      await limiter.limit(ctx, "day", { key: account, count: -amount, config: dayLimit() });
    }
    return null;
  },
});

async function changeUsed(ctx: MutationCtx, account: string, day: number, by: number) {
  const row = await ctx.db
    .query("days")
    .withIndex("by_account", (q) => q.eq("account", account).eq("day", day))
    .unique();
  if (row === null) await ctx.db.insert("days", { account, day, used: by });
  else await ctx.db.patch("days", row._id, { used: row.used + by });
}

async function tellOnce(ctx: MutationCtx, account: string, onLow: Infer<typeof onLowValidator>) {
  if ((await leftToday(ctx, account)) >= perDay() / 5) return;
  const told = await ctx.db
    .query("told")
    .withIndex("by_account", (q) => q.eq("account", account).eq("day", today()))
    .unique();
  if (told !== null) return;
  const handle = onLow.handle as FunctionHandle<"mutation", Record<string, string>>;
  try {
    await ctx.runMutation(handle, onLow.args);
  } catch {
    return; // The next message tries it again.
  }
  await ctx.db.insert("told", { account, day: today() });
}

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
