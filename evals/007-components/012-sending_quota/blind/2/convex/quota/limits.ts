// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";

const DAY_MS = 24 * 60 * 60 * 1000;

export function perDay(): number {
  return Number(process.env.PER_DAY);
}

/** The day (UTC) of a moment, counted from 1 January 1970. */
export function dayOf(moment: number): number {
  return Math.floor(moment / DAY_MS);
}

export function today(): number {
  return dayOf(Date.now());
}

/** What an account has used on a day, if anything. */
export async function getDay(
  ctx: QueryCtx,
  account: string,
  day: number,
): Promise<Doc<"days"> | null> {
  return await ctx.db
    .query("days")
    .withIndex("by_account", (q) => q.eq("account", account).eq("day", day))
    .unique();
}

/** Returns what an account may still use today: all of it is there again at midnight. */
export async function leftToday(ctx: QueryCtx, account: string): Promise<number> {
  const row = await getDay(ctx, account, today());
  return Math.max(0, perDay() - (row?.used ?? 0));
}
