// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import { DAY, MINUTE, dayNumber, dayOf, dayText, modulo, parseDay, parseStart, weekdayOf } from "./days";
import type { Zone, Zones } from "./zones";

/** After so many months, a series by months or years is not looked at any more. */
const FOREVER = 4800;

/** A series, as it is booked. */
export type Booking = Omit<Doc<"series">, "_id" | "_creationTime" | "last">;

/** What is different on a day. Without a start, nothing takes place. */
export interface Change {
  start?: string | undefined;
  minutes?: number | undefined;
}

/** The changes of a series by the days of its rule, also such as the rule does not name (any more). */
export type Changes = ReadonlyMap<number, Change>;

export interface Occurrence {
  /** By the rule. */
  day: number;
  begin: number;
  end: number;
}

/** The days that a rule gives, ascending, before `count` and `until` end them. */
interface Sequence {
  length: number;
  at: (place: number) => number;
  /** The place of the first one that is not before a day. */
  from: (day: number) => number;
}

/** The first number, unless it is absent or 0. */
export function orElse(value: number | undefined, otherwise: number): number {
  return value === undefined || value === 0 ? otherwise : value;
}

/** The days of a series by its rule, without regard to its changes. */
export class Plan {
  /** How many days there are. */
  readonly size: number;
  /** Whether nothing in the rule ends it. */
  readonly endless: boolean;
  private readonly sequence: Sequence;

  constructor(booking: Booking) {
    const { count, until } = booking;
    this.sequence = sequenceOf(booking);
    let size = this.sequence.length;
    if (count !== undefined && count !== 0) {
      if (!Number.isInteger(count) || count < 0) {
        throw new Error(`A series cannot have ${count} days`);
      }
      size = Math.min(size, count);
    }
    if (until !== undefined) {
      size = Math.min(size, this.sequence.from(parseDay(until) + 1));
    }
    this.size = size;
    this.endless =
      booking.every !== undefined && (count === undefined || count === 0) && until === undefined;
  }

  at(place: number): number {
    return this.sequence.at(place);
  }

  has(day: number): boolean {
    const place = this.sequence.from(day);
    return place < this.size && this.sequence.at(place) === day;
  }

  /** How many of its days come before a day. */
  before(day: number): number {
    return Math.min(this.size, this.sequence.from(day));
  }

  /** Its days from one to another, both included. */
  between(from: number, to: number): number[] {
    const days: number[] = [];
    for (let place = this.sequence.from(from); place < this.size; place += 1) {
      const day = this.sequence.at(place);
      if (day > to) {
        break;
      }
      days.push(day);
    }
    return days;
  }
}

function sequenceOf(booking: Booking): Sequence {
  const first = parseStart(booking.start).day;
  const { every } = booking;
  if (every === undefined) {
    return listed([first]);
  }
  const step = orElse(booking.interval, 1);
  if (!Number.isInteger(step)) {
    throw new Error("An interval must be a whole number");
  }
  if (every === "month" || every === "year") {
    return listed(daysOfMonths(first, every === "month" ? step : 12 * step, booking.nth));
  }
  if (step < 0) {
    throw new Error("An interval cannot be negative");
  }
  return every === "day" ? daily(first, step) : weekly(first, step, booking.weekdays);
}

function listed(days: number[]): Sequence {
  return {
    length: days.length,
    at: (place) => days[place] ?? NaN,
    from: (day) => {
      let low = 0;
      let high = days.length;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if ((days[middle] ?? NaN) < day) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    },
  };
}

function daily(first: number, step: number): Sequence {
  return {
    length: Infinity,
    at: (place) => first + place * step,
    from: (day) => Math.max(0, Math.ceil((day - first) / step)),
  };
}

function weekly(first: number, step: number, given: number[] | undefined): Sequence {
  const wanted = given === undefined || given.length === 0 ? [weekdayOf(first)] : given;
  const weekdays = [...new Set(wanted)].sort((one, other) => one - other);
  const monday = first - weekdayOf(first);
  const latest = Math.max(...weekdays);
  // Places count from the monday of the first week, those before the first day included.
  const at = (place: number): number => {
    const round = Math.floor(place / weekdays.length);
    return monday + 7 * step * round + (weekdays[place - round * weekdays.length] ?? NaN);
  };
  const advance = (start: number, day: number): number => {
    let place = start;
    while (at(place) < day) {
      place += 1;
    }
    return place;
  };
  const skipped = advance(0, first);
  return {
    length: Infinity,
    at: (place) => at(skipped + place),
    from: (day) => {
      const round = Math.max(0, Math.floor((day - monday - latest) / (7 * step)));
      return Math.max(0, advance(round * weekdays.length, day) - skipped);
    },
  };
}

function daysOfMonths(first: number, step: number, nth: number | undefined): number[] {
  const days: number[] = [];
  const date = new Date(first * DAY);
  const months = 12 * date.getUTCFullYear() + date.getUTCMonth();
  for (let number = 0; step > 0 && number < FOREVER; number += step) {
    const year = Math.floor((months + number) / 12);
    if (year > 9999) {
      break;
    }
    const month = modulo(months + number, 12) + 1;
    const begin = dayNumber(year, month, 1);
    const length = dayNumber(year, month + 1, 1) - begin;
    const offset =
      nth === undefined || nth === 0
        ? date.getUTCDate() - 1
        : offsetOfNth(begin, length, weekdayOf(first), nth);
    if (offset < length && begin + offset >= first) {
      days.push(begin + offset);
    }
  }
  return days;
}

/** How many days after the first of a month its nth such weekday is; infinite if there is none. */
function offsetOfNth(begin: number, length: number, weekday: number, nth: number): number {
  const earliest = modulo(weekday - weekdayOf(begin), 7);
  const number = Math.floor((length - 1 - earliest) / 7) + 1;
  const place = nth > 0 ? nth - 1 : number + nth;
  return place >= 0 && place < number ? earliest + 7 * place : Infinity;
}

/**
 * What takes place from a moment by the clocks on. The length is counted by the clocks too, so that
 * the end may come later or sooner, even before the begin, where they are changed.
 */
export function place(day: number, wall: number, minutes: number, zone: Zone): Occurrence {
  return { day, begin: zone.instant(wall), end: zone.instant(wall + minutes * MINUTE) };
}

function occur(booking: Booking, day: number, changes: Changes, zones: Zones): Occurrence | null {
  const change = changes.get(day);
  if (change === undefined) {
    const wall = day * DAY + parseStart(booking.start).time;
    return place(day, wall, booking.minutes, zones.get(booking.zone));
  }
  if (change.start === undefined) {
    return null;
  }
  const start = parseStart(change.start);
  return place(
    day,
    start.day * DAY + start.time,
    orElse(change.minutes, booking.minutes),
    zones.get(booking.zone),
  );
}

/**
 * The days, by the clocks of any zone, on which what overlaps a time begins at the earliest and at
 * the latest: a week is the longest, and clocks are changed by a day and differ by less than one.
 */
export function spanOf(begin: number, end: number): { from: number; to: number } {
  return { from: dayOf(begin) - 9, to: dayOf(end) + 2 };
}

/**
 * What takes place of a series within a time, in the order of its rule. Of the changes, those must
 * be given whose day or start is in the span of the time.
 */
export function occurrencesBetween(
  booking: Booking,
  plan: Plan,
  changes: Changes,
  begin: number,
  end: number,
  zones: Zones,
): Occurrence[] {
  const { from, to } = spanOf(begin, end);
  const days = new Set(plan.between(from, to));
  for (const [day, change] of changes) {
    if (change.start !== undefined && plan.has(day)) {
      days.add(day);
    }
  }
  const occurrences: Occurrence[] = [];
  for (const day of [...days].sort((one, other) => one - other)) {
    const one = occur(booking, day, changes, zones);
    if (one !== null && one.begin < end && begin < one.end) {
      occurrences.push(one);
    }
  }
  return occurrences;
}

export function overlap(one: Occurrence, other: Occurrence): boolean {
  return one.begin < other.end && other.begin < one.end;
}

/** The field `last` of a series; all of its changes must be given. */
export function lastDay(booking: Booking, plan: Plan, changes: Changes): string | undefined {
  if (plan.endless) {
    return undefined;
  }
  let last = -Infinity;
  for (const [day, change] of changes) {
    if (change.start !== undefined && plan.has(day)) {
      last = Math.max(last, parseStart(change.start).day);
    }
  }
  for (let number = plan.size - 1; number >= 0; number -= 1) {
    const day = plan.at(number);
    if (!changes.has(day)) {
      last = Math.max(last, day);
      break;
    }
  }
  return dayText(last === -Infinity ? parseStart(booking.start).day : last);
}
