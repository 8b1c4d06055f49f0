// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/*
 * Days are counted from 1970-01-01. The clocks of a zone ("wall") are milliseconds as if the zone
 * were UTC, instants are milliseconds since the epoch.
 */

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

const NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The number of a day; its month counts from 1. */
export function dayNumber(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.floor(date.getTime() / DAY);
}

const EARLIEST = dayNumber(1, 1, 1);
const LATEST = dayNumber(9999, 12, 31);

export function dayOf(moment: number): number {
  return Math.floor(moment / DAY);
}

export function dayText(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** The text of a day as the bound of a range, where days that have no text are cut off. */
export function boundText(day: number): string {
  return dayText(Math.min(Math.max(day, EARLIEST), LATEST));
}

/** Monday is 0. */
export function weekdayOf(day: number): number {
  return modulo(day + 3, 7);
}

export function weekdayName(day: number): string {
  return NAMES[weekdayOf(day)] ?? "";
}

/** The remainder, with the sign of the divisor. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** "2026-03-29" */
export function parseDay(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const day = dayNumber(
      Number(text.slice(0, 4)),
      Number(text.slice(5, 7)),
      Number(text.slice(8, 10)),
    );
    if (day >= EARLIEST && day <= LATEST && dayText(day) === text) {
      return day;
    }
  }
  throw new ConvexError("invalid_day");
}

/** "2026-03-29T18:30", as its day and the milliseconds by the clocks since midnight. */
export function parseStart(text: string): { day: number; time: number } {
  if (/^.{10}T\d{2}:\d{2}(:\d{2})?$/.test(text)) {
    const hours = Number(text.slice(11, 13));
    const minutes = Number(text.slice(14, 16));
    const seconds = text.length > 16 ? Number(text.slice(17, 19)) : 0;
    if (hours < 24 && minutes < 60 && seconds < 60) {
      return {
        day: parseDay(text.slice(0, 10)),
        time: (hours * 60 + minutes) * MINUTE + seconds * 1000,
      };
    }
  }
  throw new ConvexError("invalid_start");
}
