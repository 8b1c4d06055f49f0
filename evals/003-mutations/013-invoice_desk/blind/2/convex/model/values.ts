// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// Values as SQLite compares them, converts them and computes with them.

export type Value = string | number | null;

/** Zero without a sign: SQLite's integers have only one. */
function plain(value: number): number {
  return value === 0 ? 0 : value;
}

// Order

/** The collation BINARY: by the bytes of UTF-8, which is by code points. */
export function compareText(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length) {
    const left = a.codePointAt(i) ?? 0;
    const right = b.codePointAt(i) ?? 0;
    if (left !== right) return left - right;
    i += left > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}

/** What the collation NOCASE compares: only the letters of ASCII have a case. */
export function fold(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function rank(value: Value): number {
  if (value === null) return 0;
  return typeof value === "number" ? 1 : 2;
}

/** NULL first, then numbers, then texts. */
export function compare(a: Value, b: Value): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return rank(a) - rank(b);
}

/** A sorted copy; `keys` gives what a row is ordered by. */
export function sorted<Row>(rows: readonly Row[], keys: (row: Row) => Value[]): Row[] {
  return [...rows].sort((a, b) => {
    const right = keys(b);
    for (const [i, value] of keys(a).entries()) {
      const order = compare(value, right[i] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** `text LIKE pattern` */
export function like(text: string, pattern: string): boolean {
  const given = [...fold(text)];
  const wanted = [...fold(pattern)];
  let i = 0;
  let j = 0;
  let wildcard = -1;
  let start = 0;
  while (i < given.length) {
    if (j < wanted.length && wanted[j] === "%") {
      wildcard = j;
      start = i;
      j += 1;
    } else if (j < wanted.length && (wanted[j] === "_" || wanted[j] === given[i])) {
      i += 1;
      j += 1;
    } else if (wildcard >= 0) {
      start += 1;
      i = start;
      j = wildcard + 1;
    } else {
      return false;
    }
  }
  while (j < wanted.length && wanted[j] === "%") j += 1;
  return j === wanted.length;
}

// Conversions

/** What a column of type INTEGER makes of a value: a text that is no number stays a text. */
export function numeric(value: Value): Value {
  if (value === null) return null;
  if (typeof value === "number") return Number.isFinite(value) ? plain(value) : null;
  const isNumber = /^[ \t-\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t-\r]*$/.test(value);
  return isNumber ? plain(Number(value.trim())) : value;
}

/** `CAST(text AS INTEGER)` */
export function toInteger(text: string): number {
  const value = Number(/^[ \t-\r]*([+-]?\d+)/.exec(text)?.[1] ?? 0);
  return plain(Math.max(-(2 ** 63), Math.min(2 ** 63, value)));
}

/** Whether a number of a column of type INTEGER is kept as one. */
export function isInteger(value: Value): value is number {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

// Arithmetic

export function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : plain(a + b);
}

export function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : plain(a - b);
}

/** `a / b` of integers, cut towards zero. */
export function quotient(a: number | null, b: number | null): number | null {
  return a === null || b === null || b === 0 ? null : plain((a - (a % b)) / b);
}

/** `a % b` of integers. */
export function remainder(a: number | null, b: number | null): number | null {
  return a === null || b === null || b === 0 ? null : plain(a % b);
}

/** `max(a, b)`, which is NULL where one of them is. */
export function greatest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b);
}

/** `round(value)`, halves away from zero. */
export function round(value: number): number {
  if (Math.abs(value) > 2 ** 52) return value;
  return plain(Math.trunc(value + (value < 0 ? -0.5 : 0.5)));
}

/** The aggregate `sum`: without the NULLs, and NULL where nothing is left. */
export function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value): value is number => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

// Days, written YYYY-MM-DD

const DAY = 86_400_000;

function millis(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}

/** NULL after the year 9999. */
function written(time: number): string | null {
  const text = new Date(time).toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : null;
}

/** `CAST(julianday(to) - julianday(from) AS INTEGER)` */
export function daysBetween(from: string | null, to: string): number | null {
  return from === null ? null : Math.round((millis(to) - millis(from)) / DAY);
}

/** `date(day, '+N days')`, where N may have a fraction. */
export function addDays(day: string, days: number | null): string | null {
  return days === null ? null : written(millis(day) + Math.trunc(days * DAY + 0.5));
}

/** `date(day, '+N months')`: a day that the month does not have is counted into the next one. */
export function addMonths(day: string, months: number): string | null {
  const date = new Date(millis(day));
  return written(date.setUTCMonth(date.getUTCMonth() + months));
}
