// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import { DAY, numberOf, wallOf, weekdayOf } from "./clocks";

export type Rule = Pick<
  Doc<"series">,
  | "room"
  | "title"
  | "zone"
  | "start"
  | "minutes"
  | "every"
  | "interval"
  | "weekdays"
  | "nth"
  | "count"
  | "until"
>;

const FOREVER = 4800;

function pick(rule: Rule, year: number, month: number): number | null {
  const start = new Date(wallOf(rule.start));
  const first = Date.UTC(year, month, 1) / DAY;
  const length = Date.UTC(year, month + 1, 1) / DAY - first;
  if (!rule.nth) return start.getUTCDate() <= length ? first + start.getUTCDate() - 1 : null;
  const weekday = weekdayOf(numberOf(rule.start));
  const days: number[] = [];
  for (let day = first; day < first + length; day++) {
    if (weekdayOf(day) === weekday) days.push(day);
  }
  return days.at(rule.nth > 0 ? rule.nth - 1 : rule.nth) ?? null;
}

function* listDays(rule: Rule): Generator<number> {
  const first = numberOf(rule.start);
  const step = rule.interval || 1;
  if (rule.every === undefined) {
    yield first;
  } else if (rule.every === "day") {
    for (let day = first; ; day += step) yield day;
  } else if (rule.every === "week") {
    const given = rule.weekdays ?? [];
    const weekdays = [...new Set(given.length > 0 ? given : [weekdayOf(first)])];
    weekdays.sort((one, other) => one - other);
    for (let monday = first - weekdayOf(first); ; monday += 7 * step) {
      for (const weekday of weekdays) if (monday + weekday >= first) yield monday + weekday;
    }
  } else {
    const start = new Date(wallOf(rule.start));
    const months = rule.every === "month" ? step : 12 * step;
    for (let number = 0; number < FOREVER; number += months) {
      const month = start.getUTCMonth() + number;
      const day = pick(rule, start.getUTCFullYear() + Math.floor(month / 12), month % 12);
      if (day !== null && day >= first) yield day;
    }
  }
}

/** The days by the rule, up to the last one that is asked for. */
export function* listPlanned(rule: Rule, last: number): Generator<number> {
  const until = rule.until === undefined ? last : Math.min(last, numberOf(rule.until));
  let left = rule.count || Infinity;
  for (const day of listDays(rule)) {
    if (left === 0 || day > until) return;
    left -= 1;
    yield day;
  }
}

export function isPlanned(rule: Rule, day: number): boolean {
  for (const planned of listPlanned(rule, day)) if (planned === day) return true;
  return false;
}

/** Whether it goes on for ever. */
export const isEndless = (rule: Rule): boolean =>
  rule.every !== undefined && !rule.count && rule.until === undefined;
