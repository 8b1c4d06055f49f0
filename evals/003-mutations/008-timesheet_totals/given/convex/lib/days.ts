// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

export const DAY_MS = 24 * 60 * 60 * 1000;

/** The month of a day, "2026-11" of "2026-11-30". */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** The month that a moment lies in, by UTC. */
export function monthAt(time: number): string {
  return monthOf(new Date(time).toISOString());
}

export function checkDay(day: string): void {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) {
    throw new ConvexError("bad_day");
  }
}
