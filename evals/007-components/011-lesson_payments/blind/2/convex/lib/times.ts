// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const HOUR_MS = 60 * 60 * 1000;

/** A student who cancels later than this before the start cancels late. */
export const LATE_MS = 24 * HOUR_MS;

/** A lesson that nobody has confirmed counts as done after this time. */
export const SILENT_MS = 48 * HOUR_MS;

/** Money is held for this time, and then for it again; the purse allows up to 14 days. */
export const HELD_MS = 13 * 24 * HOUR_MS;
