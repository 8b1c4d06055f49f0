// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// What SQLite's operators and functions do, where those of JavaScript differ.

const DAY = 24 * 60 * 60 * 1000;
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** A text as the collation NOCASE compares it: only ASCII letters have a case. */
export function fold(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Compares by code points, which is the order of the bytes in UTF-8. */
export function compareTexts(left: string, right: string): number {
  const a = Array.from(left);
  const b = Array.from(right);
  for (let n = 0; n < Math.min(a.length, b.length); n++) {
    const difference = (a[n].codePointAt(0) ?? 0) - (b[n].codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Compares values of a column; NULL comes first. */
export function compare(left: string | number | null, right: string | number | null): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (typeof left === "string") return compareTexts(left, String(right));
  return left - Number(right);
}

/** The operator LIKE. */
export function isLike(text: string, pattern: string): boolean {
  const source = Array.from(fold(pattern), (character) => {
    if (character === "%") return ".*";
    if (character === "_") return ".";
    return character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
  });
  return new RegExp(`^${source.join("")}$`, "su").test(fold(text));
}

/** What a column of INTEGER stores for a text. */
export function applyAffinity(value: string | number | null): string | number | null {
  return typeof value === "string" && NUMBER.test(value) ? Number(value) : value;
}

/** CAST(text AS INTEGER). */
export function castToInteger(text: string): number {
  const digits = /^\s*([+-]?\d+)/.exec(text);
  return digits === null ? 0 : Number(digits[1]) + 0;
}

export function divide(left: number, right: number): number | null {
  return right === 0 ? null : Math.trunc(left / right) + 0;
}

export function rest(left: number, right: number): number | null {
  return right === 0 ? null : (left % right) + 0;
}

/** Rounds half away from zero. */
export function round(value: number): number {
  return (value < 0 ? -Math.round(-value) : Math.round(value)) + 0;
}

export function sum(values: (number | null)[]): number | null {
  const present = values.filter((value) => value !== null);
  return present.length === 0 ? null : present.reduce((total, value) => total + value, 0);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
}

/** A day that the month does not have is counted on into the next one. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + months, date)).toISOString().slice(0, 10);
}

export function countDays(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}
