// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

const DAY = 24 * 60 * 60 * 1000;

/** What an account may use on a day: all of it is there again at midnight. */
export function perDay(): number {
  return Number(process.env.PER_DAY);
}

/** Returns the day (UTC) of a moment, counted from 1 January 1970. */
export function dayOf(moment: number): number {
  return Math.floor(moment / DAY);
}

/** Tells whether less than a fifth of a day's quota is left. */
export function isLow(used: number): boolean {
  return (perDay() - used) * 5 < perDay();
}

/** Returns what is kept of an account's day, or null if nothing was taken on it. */
export async function findDay(
  ctx: QueryCtx,
  account: string,
  day: number,
): Promise<Doc<"days"> | null> {
  return await ctx.db
    .query("days")
    .withIndex("by_account", (q) => q.eq("account", account).eq("day", day))
    .unique();
}
