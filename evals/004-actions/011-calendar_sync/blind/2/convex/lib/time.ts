// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const MINUTE_MS = 60 * 1000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** A run of which nothing is heard for so long is lost, and a request has failed. */
export const SILENCE_MS = 15 * MINUTE_MS;

/** Returns the UTC day of a moment, such as "2026-03-31". */
export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
