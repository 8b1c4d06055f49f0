// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * The rules of money
 *
 * - A day costs the zone's fee, a Saturday or Sunday half of it. A purchase or an extension of
 *   seven days or more costs a tenth less. Each of them is priced by itself, by its own days and
 *   the fee of the moment; the fraction of a cent is dropped once, from its whole price.
 * - A permit that is cancelled less than an hour after it was bought pays back everything that
 *   was paid for it, extensions too.
 * - Later it pays back a share of everything that was paid for it: its days that have not begun,
 *   out of all its days. The fraction of a cent is dropped.
 * - The takings of a day are what was paid on that day, less what was paid back on that day.
 */
import { DAY, HOUR, isWeekend, startOfDay } from "./days";
import type { Doc } from "../_generated/dataModel";

/** The price of days in a row; `first` is the midnight with which they begin. */
export function priceDays(fee: number, first: number, days: number) {
  let halves = 0;
  for (let day = 0; day < days; day++) halves += isWeekend(first + day * DAY) ? 1 : 2;
  const tenths = days >= 7 ? 9 : 10;
  return Math.floor((fee * halves * tenths) / 20);
}

/** What a valid permit pays back if it is cancelled. */
export function refundOf(permit: Doc<"permits">, now: number) {
  if (now < permit.boughtAt + HOUR) return permit.paid;
  const ahead = (permit.ends - startOfDay(now)) / DAY - 1;
  return Math.floor((permit.paid * ahead) / permit.days);
}
