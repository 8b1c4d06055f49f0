// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
const DAY_MS = 24 * 60 * 60 * 1000;

/** The present day, in mutations and actions. */
export const today = (): string => dayOf(Date.now());

export const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);

/** How many days it is from one day to a later one. */
export const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** Which day of its month a day is, from 1 on. */
export const dayOfMonth = (day: string): number => Number(day.slice(8));

/**
 * Goes some months ahead, to the given day of the month, or to the last one of a shorter month.
 */
export function addMonths(day: string, months: number, monthDay: number): string {
  const year = Number(day.slice(0, 4));
  const month = Number(day.slice(5, 7)) - 1 + months;
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month, Math.min(monthDay, last)));
}

/** Whether a text from outside is a day. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text;
