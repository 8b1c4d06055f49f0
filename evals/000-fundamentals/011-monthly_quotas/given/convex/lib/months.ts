// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Return the month of a moment in UTC, such as "2026-11". */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** Return the moment at which the month after this moment begins. */
export function nextMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
