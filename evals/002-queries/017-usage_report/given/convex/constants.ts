// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const MINUTE = 60_000;
/** Offsets of time zones, and the moments at which they change, are multiples of this. */
export const QUARTER = 15 * MINUTE;
export const DAY = 24 * 60 * MINUTE;
/** The meters of a customer. */
export const MAX_METERS = 10;
/** The events of a meter in one minute (UTC), retracted ones included. */
export const MAX_PER_MINUTE = 50;
/** The events that are recorded at once. */
export const MAX_BATCH = 50;
/** The longest range of a report. */
export const MAX_RANGE = 100 * DAY;
/** Events may come so late. */
export const LATEST = 40 * DAY;
/** Events are kept for so long. */
export const KEPT_FOR = 400 * DAY;
/** A removed customer can be restored for so long. */
export const RESTORABLE_FOR = 30 * DAY;
/** The rows that a background job changes in one transaction. */
export const BATCH = 100;
