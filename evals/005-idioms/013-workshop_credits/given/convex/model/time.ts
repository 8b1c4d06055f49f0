// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const MINUTE = 60 * 1000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The midnight (UTC) with which the day of a moment begins. */
export function startOfDay(moment: number) {
  return moment - (moment % DAY);
}

export function checkCredits(credits: number) {
  return Number.isInteger(credits) && credits >= 1;
}
