// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import { dayOf, numberOf, weekdayOf } from "./clocks";

export type Rule = Omit<Doc<"series">, "_id" | "_creationTime" | "last">;

const LAST_OF_ALL = numberOf("2500-01-01");

/** Whether a day is one of the rule, leaving aside where it ends. */
function fits(rule: Rule, day: number): boolean {
  const first = numberOf(rule.start);
  const step = rule.interval || 1;
  if (rule.every === undefined) return day === first;
  if (rule.every === "day") return (day - first) % step === 0;
  if (rule.every === "week") {
    const weekdays = rule.weekdays?.length ? rule.weekdays : [weekdayOf(first)];
    const weeks = (day - weekdayOf(day) - (first - weekdayOf(first))) / 7;
    return weeks % step === 0 && weekdays.includes(weekdayOf(day));
  }
  const [year, month, number] = dayOf(day).split("-").map(Number);
  const [firstYear, firstMonth, firstNumber] = dayOf(first).split("-").map(Number);
  const months = 12 * (year - firstYear) + month - firstMonth;
  if (months % (rule.every === "month" ? step : 12 * step) !== 0) return false;
  if (!rule.nth) return number === firstNumber;
  if (weekdayOf(day) !== weekdayOf(first)) return false;
  if (rule.nth > 0) return Math.ceil(number / 7) === rule.nth;
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Math.ceil((length - number + 1) / 7) === -rule.nth;
}

/** The days by the rule, in order: each day is looked at. */
export function* listPlanned(rule: Rule, last: number): Generator<number> {
  const until = rule.until === undefined ? LAST_OF_ALL : numberOf(rule.until);
  const first = numberOf(rule.start);
  const end = rule.every === undefined ? first : Math.min(last, until, LAST_OF_ALL);
  let count = 0;
  for (let day = first; day <= Math.min(end, last, until); day++) {
    if (!fits(rule, day)) continue;
    yield day;
    count += 1;
    if (count === rule.count) return;
  }
}

export const isPlanned = (rule: Rule, day: number): boolean =>
  [...listPlanned(rule, day)].at(-1) === day;

export const isEndless = (rule: Rule): boolean =>
  !(rule.every === undefined || rule.count || rule.until !== undefined);
