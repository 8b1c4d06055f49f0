// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { DAY, RateLimiter, calculateRateLimit } from "@convex-dev/rate-limiter";

import { components } from "./_generated/api";
import type { QueryCtx } from "./_generated/server";

export function perDay(): number {
  return Number(process.env.PER_DAY);
}

/** The limit of a day: all of it is there again at midnight. */
export function dayLimit() {
  return { kind: "fixed window", rate: perDay(), period: DAY, start: 0 } as const;
}

export const limiter = new RateLimiter(components.rateLimiter, {});

export function dayOf(time: number): number {
  return Math.floor(time / DAY);
}

export function today(): number {
  return dayOf(Date.now());
}

/** Returns what an account may still use today. */
export async function leftToday(ctx: QueryCtx, account: string): Promise<number> {
  const { config, value, ts } = await limiter.getValue(ctx, "day", {
    key: account,
    config: dayLimit(),
  });
  return calculateRateLimit({ value, ts }, config, Date.now()).value;
}
