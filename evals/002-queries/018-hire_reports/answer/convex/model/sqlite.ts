// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// What SQLite's operators and functions do, where those of JavaScript differ.

const DAY = 24 * 60 * 60 * 1000;
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

export type Value = string | number | null;
/** True, false, or NULL for what nobody knows. */
export type Truth = boolean | null;

/** What an argument is bound as: an empty text is NULL. */
export function bind<T>(given: T | ""): T | null {
  return given === "" ? null : given;
}

/** A text as the collation NOCASE compares it, and as lower() returns it. */
export function fold(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** upper(). */
export function raise(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

function compareTexts(left: string, right: string): number {
  const a = Array.from(left);
  const b = Array.from(right);
  for (let n = 0; n < Math.min(a.length, b.length); n++) {
    const difference = (a[n].codePointAt(0) ?? 0) - (b[n].codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The order of values: NULL, numbers, texts by their bytes. */
export function compare(left: Value, right: Value): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (typeof left === "number") return typeof right === "number" ? left - right : -1;
  return typeof right === "number" ? 1 : compareTexts(left, right);
}

export function compareNocase(left: string | null, right: string | null): number {
  return compare(left === null ? null : fold(left), right === null ? null : fold(right));
}

/** Whether two values are equal; NULL if one is NULL. */
export function isEqual(left: Value, right: Value): Truth {
  return left === null || right === null ? null : left === right;
}

export function isEqualNocase(left: string | null, right: string | null): Truth {
  return left === null || right === null ? null : fold(left) === fold(right);
}

export function isBelow(left: Value, right: Value): Truth {
  return left === null || right === null ? null : compare(left, right) < 0;
}

export function not(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

export function and(...truths: Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

export function or(...truths: Truth[]): Truth {
  if (truths.includes(true)) return true;
  return truths.includes(null) ? null : false;
}

/** The operator IN; in an empty list there is nothing, not even NULL. */
export function isIn(value: Value, list: Value[]): Truth {
  return or(false, ...list.map((each) => isEqual(value, each)));
}

function escape(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
}

/** The operator LIKE. */
export function isLike(text: string | null, pattern: string | null, mark?: string): Truth {
  if (text === null || pattern === null) return null;
  let source = "";
  const characters = Array.from(fold(pattern));
  for (let n = 0; n < characters.length; n++) {
    if (characters[n] === mark) source += escape(characters[++n] ?? "");
    else if (characters[n] === "%") source += ".*";
    else if (characters[n] === "_") source += ".";
    else source += escape(characters[n]);
  }
  return new RegExp(`^${source}$`, "su").test(fold(text));
}

/** The operator GLOB. */
export function isGlob(text: string | null, pattern: string | null): Truth {
  if (text === null || pattern === null) return null;
  let source = "";
  const characters = Array.from(pattern);
  for (let n = 0; n < characters.length; n++) {
    if (characters[n] === "*") source += ".*";
    else if (characters[n] === "?") source += ".";
    else if (characters[n] === "[") {
      const end = characters.indexOf("]", n + 1);
      if (end === -1) return false;
      // With its ranges, such as a-z.
      source += `[${characters.slice(n + 1, end).map(escape).join("")}]`;
      n = end;
    } else source += escape(characters[n]);
  }
  return new RegExp(`^${source}$`, "su").test(text);
}

/** What a comparison with a column of INTEGER makes of a text. */
export function applyAffinity(value: Value): Value {
  return typeof value === "string" && NUMBER.test(value) ? Number(value) : value;
}

/** CAST(text AS INTEGER). */
export function castToInteger(text: string): number {
  const digits = /^\s*([+-]?\d+)/.exec(text);
  return digits === null ? 0 : Number(digits[1]) + 0;
}

/** A number of a column of REAL as text. */
export function formatReal(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

export function divide(left: number | null, right: number | null): number | null {
  return left === null || right === null || right === 0 ? null : Math.trunc(left / right) + 0;
}

export function rest(left: number | null, right: number | null): number | null {
  return left === null || right === null || right === 0 ? null : (left % right) + 0;
}

/** Rounds half away from zero. */
export function round(value: number | null): number | null {
  if (value === null) return null;
  return (value < 0 ? -Math.round(-value) : Math.round(value)) + 0;
}

export function sum(values: (number | null)[]): number | null {
  const present = values.filter((value) => value !== null);
  return present.length === 0 ? null : present.reduce((total, value) => total + value, 0);
}

export function average(values: (number | null)[]): number | null {
  const total = sum(values);
  return total === null ? null : total / values.filter((value) => value !== null).length;
}

/** count(column). */
export function count(values: Value[]): number {
  return values.filter((value) => value !== null).length;
}

export function limitTo<T>(rows: T[], limit: number): T[] {
  return limit < 0 ? rows : rows.slice(0, limit);
}

/** Groups rows by a key, in the order of their first rows. */
export function groupBy<Row, Key>(rows: Row[], getKey: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = getKey(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}

/** Milliseconds of a day or a moment. */
export function parseMoment(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11) || "00:00"}Z`);
}

export function formatDay(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

export function addDays(text: string, days: number): number {
  return parseMoment(text) + days * DAY;
}

/** The day some months later; one that the month does not have is counted on into the next. */
export function addMonths(text: string, months: number): string {
  const [year, month, day] = text.slice(0, 10).split("-").map(Number);
  return formatDay(Date.UTC(year, month - 1 + months, day));
}

/** The last day of a month. */
export function endMonth(text: string): string {
  const [year, month] = text.slice(0, 10).split("-").map(Number);
  return formatDay(Date.UTC(year, month, 0));
}

/** 0 for Sunday, as %w. */
export function getWeekday(text: string): number {
  return new Date(parseMoment(text)).getUTCDay();
}

/** The next Monday, or the day itself. */
export function findMonday(text: string): string {
  return formatDay(addDays(text, (8 - getWeekday(text)) % 7));
}

/** %Y-%W: weeks begin on Monday; days before the first one are in week 00. */
export function getWeek(text: string): string {
  const year = text.slice(0, 4);
  const days = (parseMoment(text.slice(0, 10)) - parseMoment(`${year}-01-01`)) / DAY;
  const week = Math.floor((days + 7 - ((getWeekday(text) + 6) % 7)) / 7);
  return `${year}-${String(week).padStart(2, "0")}`;
}

/** The days from one moment to another, with their parts. */
export function countDays(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : (parseMoment(to) - parseMoment(from)) / DAY;
}
