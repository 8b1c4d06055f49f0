// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import {
  DAY,
  dayAt,
  dayText,
  FIRST_DAY,
  LAST_DAY,
  MINUTE,
  modulo,
  numberOf,
  parseDay,
  parseStart,
  toMoment,
  weekdayOf,
} from "./clocks";

/** What tells when a series takes place. */
export type Rule = Pick<
  Doc<"series">,
  "zone" | "start" | "minutes" | "every" | "interval" | "weekdays" | "nth" | "count" | "until"
>;

export type Change = Pick<Doc<"changes">, "start" | "minutes">;

/** Changes by the day that is changed. */
export type Changes = ReadonlyMap<number, Change>;

export type Occurrence = {
  /** By the rule. */
  day: number;
  /** The moments. */
  begin: number;
  end: number;
};

/** How many months a series by months or years can go on. */
const FOREVER = 4800;

/** An occurrence that is going on at a moment began at most so many days before the moment's day. */
export const REACH = 8;

/** An occurrence that has begun at a moment began at most so many days after the moment's day. */
export const AHEAD = 2;

/** The number, or what stands for it where it is absent or 0. */
export function given(value: number | undefined, otherwise: number): number {
  return value === undefined || value === 0 ? otherwise : value;
}

/** The day on which a series by months or years takes place in a month. */
function pickDay(rule: Rule, first: number, year: number, month: number): number | null {
  const begin = numberOf(year, month, 1);
  const next = month === 12 ? numberOf(year + 1, 1, 1) : numberOf(year, month + 1, 1);
  const length = next - begin;
  const nth = given(rule.nth, 0);
  if (nth === 0) {
    const date = Number(dayText(first).slice(8));
    return date <= length ? begin + date - 1 : null;
  }
  const earliest = modulo(weekdayOf(first) - weekdayOf(begin), 7);
  const times = Math.floor((length - 1 - earliest) / 7) + 1;
  const index = nth > 0 ? nth - 1 : times + nth;
  return index >= 0 && index < times ? begin + earliest + 7 * index : null;
}

function refuseEarly(day: number): void {
  if (day < FIRST_DAY) throw new ConvexError("day_out_of_range");
}

function* daysByDay(first: number, step: number): Generator<number, void> {
  for (let day = first; day <= LAST_DAY; day += step) {
    refuseEarly(day);
    yield day;
  }
}

function* daysByWeek(rule: Rule, first: number, step: number): Generator<number, void> {
  const listed = rule.weekdays ?? [];
  const weekdays = listed.length > 0 ? [...new Set(listed)] : [weekdayOf(first)];
  weekdays.sort((one, other) => one - other);
  for (let monday = first - weekdayOf(first); ; monday += 7 * step) {
    for (const weekday of weekdays) {
      const day = monday + weekday;
      if (day > LAST_DAY) return;
      refuseEarly(day);
      if (day >= first) yield day;
    }
  }
}

function* daysByMonth(rule: Rule, first: number, step: number): Generator<number, void> {
  if (step < 0) return;
  const [firstYear, firstMonth] = [dayText(first).slice(0, 4), dayText(first).slice(5, 7)];
  const begin = 12 * Number(firstYear) + Number(firstMonth) - 1;
  for (let number = 0; number < FOREVER; number += step) {
    const year = Math.floor((begin + number) / 12);
    if (year > 9999) return;
    const day = pickDay(rule, first, year, modulo(begin + number, 12) + 1);
    if (day !== null && day >= first) yield day;
  }
}

function daysOf(rule: Rule): Iterable<number> {
  const first = dayAt(parseStart(rule.start));
  const step = given(rule.interval, 1);
  switch (rule.every) {
    case undefined:
      return [first];
    case "day":
      return daysByDay(first, step);
    case "week":
      return daysByWeek(rule, first, step);
    case "month":
      return daysByMonth(rule, first, step);
    case "year":
      return daysByMonth(rule, first, 12 * step);
  }
}

/** The days of a series by its rule, in their order. There may be no end to them. */
export function* plannedDays(rule: Rule): Generator<number, void> {
  const until = rule.until === undefined ? Infinity : parseDay(rule.until);
  let left = given(rule.count, Infinity);
  if (left < 0) throw new ConvexError("invalid_count");
  for (const day of daysOf(rule)) {
    if (day > until) return;
    yield day;
    left -= 1;
    if (left <= 0) return;
  }
}

export function isPlanned(rule: Rule, day: number): boolean {
  for (const other of plannedDays(rule)) {
    if (other > day) return false;
    if (other === day) return true;
  }
  return false;
}

/** When a series takes place on one of its days; null if it does not. */
export function occur(rule: Rule, day: number, change: Change | undefined): Occurrence | null {
  let start: number;
  let minutes = rule.minutes;
  if (change === undefined) {
    start = day * DAY + modulo(parseStart(rule.start), DAY);
  } else {
    if (change.start === undefined) return null;
    start = parseStart(change.start);
    minutes = given(change.minutes, rule.minutes);
  }
  // As on the old server, an occurrence ends when the clocks have gone on by its minutes.
  return {
    day,
    begin: toMoment(rule.zone, start),
    end: toMoment(rule.zone, start + minutes * MINUTE),
  };
}

/** What takes place between two moments, in the order of the rule's days. */
export function between(rule: Rule, changes: Changes, begin: number, end: number): Occurrence[] {
  const from = dayAt(begin) - REACH;
  const to = dayAt(end) + AHEAD;
  let last = to;
  for (const day of changes.keys()) last = Math.max(last, day);
  const found: Occurrence[] = [];
  for (const day of plannedDays(rule)) {
    if (day > last) break;
    const change = changes.get(day);
    if (change === undefined && (day < from || day > to)) continue;
    const one = occur(rule, day, change);
    if (one !== null && one.begin < end && begin < one.end) found.push(one);
  }
  return found;
}

export function overlaps(one: Occurrence, other: Occurrence): boolean {
  return one.begin < other.end && other.begin < one.end;
}

/** Whether nothing ends a series. */
export function isEndless(rule: Rule): boolean {
  return rule.every !== undefined && given(rule.count, 0) === 0 && rule.until === undefined;
}

/** The field `last` of a series. */
export function lastDay(rule: Rule, changes: Changes): string | undefined {
  if (isEndless(rule)) return undefined;
  let last: number | null = null;
  for (const planned of plannedDays(rule)) {
    const change = changes.get(planned);
    let day = planned;
    if (change !== undefined) {
      if (change.start === undefined) continue;
      day = dayAt(parseStart(change.start));
    }
    if (last === null || day > last) last = day;
  }
  return dayText(last ?? dayAt(parseStart(rule.start)));
}
