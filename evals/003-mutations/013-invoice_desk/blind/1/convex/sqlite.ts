// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// What SQLite's operators and functions do, as far as the desk needs it.

import { ConvexError } from "convex/values";

export type Value = string | number | null;

const DAY = 86_400_000;
const INTEGER_LIMIT = 2 ** 63;

// Texts

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The order of BINARY: that of the UTF-8 bytes, which is that of the code points. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** What NOCASE compares: only the letters of ASCII are folded. */
export function fold(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Equality of NOCASE. */
export function sameText(a: string, b: string): boolean {
  return fold(a) === fold(b);
}

/** `text LIKE pattern`. */
export function like(text: string, pattern: string): boolean {
  if (new TextEncoder().encode(pattern).length > 50_000) {
    throw new ConvexError("LIKE pattern too complex");
  }
  const chars = Array.from(fold(text));
  const wanted = Array.from(fold(pattern));
  let at = 0;
  let want = 0;
  let star = -1;
  let resume = 0;
  while (at < chars.length) {
    if (want < wanted.length && wanted[want] === "%") {
      star = want;
      want += 1;
      resume = at;
    } else if (want < wanted.length && (wanted[want] === "_" || wanted[want] === chars[at])) {
      at += 1;
      want += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      want = star + 1;
    } else {
      return false;
    }
  }
  while (want < wanted.length && wanted[want] === "%") want += 1;
  return want === wanted.length;
}

/** `length(trim(text))`. */
export function trimmedLength(text: string): number {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === " ") start += 1;
  while (end > start && text[end - 1] === " ") end -= 1;
  return Array.from(text.slice(start, end)).length;
}

// Order

/** NULL comes first, then numbers, then texts. */
export function compare(a: Value, b: Value): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  return typeof b === "number" ? 1 : compareText(a, b);
}

/** `ORDER BY`, ascending. */
export function inOrder<Row>(rows: readonly Row[], ...keys: ((row: Row) => Value)[]): Row[] {
  return [...rows].sort((a, b) => {
    for (const key of keys) {
      const order = compare(key(a), key(b));
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** `LIMIT limit OFFSET offset`: a negative limit is none. */
export function limited<Row>(rows: readonly Row[], limit: number, offset: number): Row[] {
  const start = Math.max(offset, 0);
  return limit < 0 ? rows.slice(start) : rows.slice(start, start + limit);
}

// Numbers

/** SQLite has no negative zero among its integers. */
export function plain(value: number): number {
  return value === 0 ? 0 : value;
}

/** What a column declared INTEGER makes of a value: texts that are not numbers stay texts. */
export function asNumeric(value: Value): Value {
  if (value === null) return null;
  if (typeof value === "number") return plain(value);
  const found = /^[\t-\r ]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[\t-\r ]*$/.exec(value);
  const digits = found?.[1];
  return digits === undefined ? value : plain(Number(digits));
}

/** `typeof(value) = 'integer'`, of what a column declared INTEGER holds. */
export function isInteger(value: Value): value is number {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < INTEGER_LIMIT;
}

/** `CAST(text AS INTEGER)`: the digits in the beginning, or 0. */
export function castInteger(text: string): number {
  const digits = /^[\t-\r ]*([+-]?[0-9]+)/.exec(text)?.[1];
  if (digits === undefined) return 0;
  return plain(Math.min(Math.max(Number(digits), -INTEGER_LIMIT), INTEGER_LIMIT));
}

/** `a / b` of integers. */
export function divide(a: number, b: number): number {
  return plain(Math.trunc(a / b));
}

/** `a % b` of integers. */
export function remainder(a: number, b: number): number {
  return plain(a % b);
}

/** `round(value)`: halves go away from zero. */
export function round(value: number): number {
  if (Math.abs(value) > 4_503_599_627_370_496) return value;
  return plain(Math.trunc(value + (value < 0 ? -0.5 : 0.5)));
}

/** `a - b`. */
export function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}

/** The function `max(a, b)`. */
export function greater(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b);
}

/** The aggregate `sum`: NULL is left out, and the sum of nothing is NULL. */
export function sum(values: readonly (number | null)[]): number | null {
  let result: number | null = null;
  for (const value of values) {
    if (value !== null) result = result === null ? value : result + value;
  }
  return result === null ? null : plain(result);
}

// Days

function parts(day: string): { year: number; month: number; date: number } {
  return {
    year: Number(day.slice(0, 4)),
    month: Number(day.slice(5, 7)),
    date: Number(day.slice(8, 10)),
  };
}

/** Milliseconds; dates beyond the month's end run into the next one. */
function moment(year: number, month: number, date: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, date);
}

/** NULL beyond the year 9999. */
function written(time: number): string | null {
  const date = new Date(time);
  return date.getUTCFullYear() > 9999 ? null : date.toISOString().slice(0, 10);
}

/** `julianday(day)`, but for a constant. */
export function dayNumber(day: string): number {
  const { year, month, date } = parts(day);
  return Math.round(moment(year, month, date) / DAY);
}

/** `date(day, '+' || days || ' days')`, for days from 0 on; parts of a day may be given. */
export function addDays(day: string, days: number): string | null {
  const asText = Number(days.toPrecision(15));
  const whole = Math.floor(Math.trunc(asText * 1000 * 86400 + 0.5) / DAY);
  return written((dayNumber(day) + whole) * DAY);
}

/** `date(day, '+' || months || ' months')`. */
export function addMonths(day: string, months: number): string | null {
  const { year, month, date } = parts(day);
  return written(moment(year, month + months, date));
}
