// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { QueryCtx } from "./_generated/server";

const DAY = 24 * 60 * 60 * 1000;

export function perDay(): number {
  return Number(process.env.PER_DAY);
}

/** Returns the day, counted from 1 January 1970. All of the quota is there again at midnight. */
export function today(): number {
  return Math.floor(Date.now() / DAY);
}

/** Returns what an account has used on a day, or null if it was nothing. */
export async function getDay(ctx: QueryCtx, account: string, day: number) {
  return await ctx.db
    .query("days")
    .withIndex("by_account", (q) => q.eq("account", account).eq("day", day))
    .unique();
}
