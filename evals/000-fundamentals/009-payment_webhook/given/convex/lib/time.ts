// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Milliseconds, as `Date.now()` has them and as we store every moment. */
export const SECOND = 1000;
export const DAY = 24 * 60 * 60 * SECOND;

/** Return the month of a moment in UTC, such as "2026-11". */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}
