// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/**
 * The most documents that one transaction of a job writes. Agents work while jobs run: a job with
 * more to do schedules itself again.
 */
export const BATCH = 20;

/** The same for documents of which each brings an entry of the audit log. */
export const AUDITED_BATCH = BATCH / 2;

export const DAY = 24 * 60 * 60 * 1000;
