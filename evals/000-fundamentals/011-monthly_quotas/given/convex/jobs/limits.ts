// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/**
 * The most documents that one transaction of a job changes or deletes. Images are tagged while
 * jobs run: a job with more to do schedules itself again.
 */
export const BATCH = 20;
