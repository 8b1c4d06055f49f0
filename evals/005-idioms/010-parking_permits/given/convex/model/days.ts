// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const HOUR = 60 * 60 * 1000;
export const DAY = 24 * HOUR;

const THURSDAY = 4;

/** The midnight with which the day of a moment begins. */
export function startOfDay(moment: number) {
  return moment - (moment % DAY);
}

export function isWeekend(midnight: number) {
  const weekday = (THURSDAY + midnight / DAY) % 7;
  return weekday === 0 || weekday === 6;
}
