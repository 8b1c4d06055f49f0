// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
// The old database's functions, without regular expressions and dates of JavaScript.

const BLANKS = " \t\n\v\f\r";
const DIGITS = "0123456789";

export function fold(text: string): string {
  let folded = "";
  for (const character of text) {
    folded += character >= "A" && character <= "Z" ? character.toLowerCase() : character;
  }
  return folded;
}

export function compareTexts(left: string, right: string): number {
  const encoder = new TextEncoder();
  const a = encoder.encode(left);
  const b = encoder.encode(right);
  const place = a.findIndex((byte, n) => byte !== b[n]);
  if (place === -1) return a.length - b.length;
  return place < b.length ? a[place] - b[place] : 1;
}

export function compare(left: string | number | null, right: string | number | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return typeof left === "number" && typeof right === "number"
    ? left - right
    : compareTexts(String(left), String(right));
}

export function isLike(text: string, pattern: string): boolean {
  const wanted = Array.from(fold(pattern));
  // The places of the pattern that the text has come to.
  let places = new Set([0]);
  const skip = (): void => {
    for (const place of places) if (wanted[place] === "%") places.add(place + 1);
  };
  skip();
  for (const character of fold(text)) {
    const next = new Set<number>();
    for (const place of places) {
      if (wanted[place] === "%") next.add(place);
      else if (wanted[place] === "_" || wanted[place] === character) next.add(place + 1);
    }
    places = next;
    skip();
  }
  return places.has(wanted.length);
}

/** Reads a whole number from the beginning of a text; the rest is returned with it. */
function readWhole(text: string): { sign: string; digits: string; rest: string } {
  let start = 0;
  while (start < text.length && BLANKS.includes(text[start])) start++;
  const sign = text[start] === "-" || text[start] === "+" ? text[start++] : "";
  let end = start;
  while (end < text.length && DIGITS.includes(text[end])) end++;
  return { sign, digits: text.slice(start, end), rest: text.slice(end) };
}

export function applyAffinity(value: string | number | null): string | number | null {
  if (typeof value !== "string") return value;
  const whole = readWhole(value);
  let { rest } = whole;
  let fraction = "";
  if (rest.startsWith(".")) {
    const part = readWhole(rest.slice(1));
    if (part.sign !== "" || rest.slice(1).trimStart() !== rest.slice(1)) return value;
    fraction = part.digits;
    rest = part.rest;
  }
  if (whole.digits === "" && fraction === "") return value;
  let power = "";
  if (rest.startsWith("e") || rest.startsWith("E")) {
    const part = readWhole(rest.slice(1));
    if (part.digits === "") return value;
    power = `e${part.sign}${part.digits}`;
    rest = part.rest;
  }
  if (Array.from(rest).some((character) => !BLANKS.includes(character))) return value;
  return Number(`${whole.sign}${whole.digits || "0"}.${fraction || "0"}${power}`);
}

export function castToInteger(text: string): number {
  const { sign, digits } = readWhole(text);
  return digits === "" ? 0 : parseInt(`${sign}${digits}`, 10);
}

export function divide(left: number, right: number): number | null {
  if (right === 0) return null;
  const quotient = left / right;
  return quotient < 0 ? Math.ceil(quotient) : Math.floor(quotient);
}

export function rest(left: number, right: number): number | null {
  const quotient = divide(left, right);
  return quotient === null ? null : left - quotient * right;
}

export function round(value: number): number {
  return value < 0 ? Math.ceil(value - 0.5) : Math.floor(value + 0.5);
}

export function sum(values: (number | null)[]): number | null {
  let total: number | null = null;
  for (const value of values) if (value !== null) total = (total ?? 0) + value;
  return total;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function countMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function toNumber(day: string): number {
  const [year, month, date] = day.split("-").map(Number);
  let days = date;
  for (let each = 1970; each < year; each++) days += isLeap(each) ? 366 : 365;
  for (let each = 1; each < month; each++) days += countMonth(year, each);
  return days;
}

function toDay(number: number): string {
  let [year, month, date] = [1970, 1, number];
  while (date > countMonth(year, month)) {
    date -= countMonth(year, month);
    month++;
    if (month > 12) [year, month] = [year + 1, 1];
  }
  const pad = (value: number): string => String(value).padStart(2, "0");
  return `${year}-${pad(month)}-${pad(date)}`;
}

export function addDays(day: string, days: number): string {
  return toDay(toNumber(day) + Math.floor(days));
}

export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split("-").map(Number);
  const place = year * 12 + month - 1 + months;
  const first = `${Math.floor(place / 12)}-${(place % 12) + 1}-1`;
  return toDay(toNumber(first) + date - 1);
}

export function countDays(from: string, to: string): number {
  return toNumber(to) - toNumber(from);
}
