// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/**
 * The most documents that one transaction of a job writes. Agents work while jobs run: a job with
 * more to do schedules itself again.
 */
export const BATCH = 20;

/** The most documents that one transaction changes when each change is logged in a document, too. */
export const LOGGED_BATCH = BATCH / 2;

export const DAY = 24 * 60 * 60 * 1000;
