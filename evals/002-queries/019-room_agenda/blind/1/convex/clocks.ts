// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

/*
 * Days are counted from 1970-01-01. Moments are milliseconds of UTC; local times are milliseconds too,
 * of what the clocks of a zone show.
 */

export const MINUTE = 60_000;
export const DAY = 86_400_000;

export const FIRST_DAY = numberOf(1, 1, 1);
export const LAST_DAY = numberOf(9999, 12, 31);

/** No clock was ever further from UTC. */
const WIDEST = 16 * 60 * MINUTE;

/** The remainder, which is never negative. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** The number of a day of the Gregorian calendar. */
export function numberOf(year: number, month: number, date: number): number {
  const shifted = month > 2 ? year : year - 1; // years that begin in March
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + date - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The day of the week, Monday is 0. */
export function weekdayOf(day: number): number {
  return modulo(day + 3, 7);
}

/** The day of a moment, or of a local time. */
export function dayAt(time: number): number {
  return Math.floor(time / DAY);
}

export function dayText(day: number): string {
  if (day < FIRST_DAY || day > LAST_DAY) throw new ConvexError("day_out_of_range");
  return new Date(day * DAY).toISOString().slice(0, 10);
}

export function parseDay(text: string): number {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match !== null) {
    const day = numberOf(Number(match[1]), Number(match[2]), Number(match[3]));
    if (day >= FIRST_DAY && day <= LAST_DAY && dayText(day) === text) return day;
  }
  throw new ConvexError("invalid_day");
}

/** The local time that a text such as "2026-03-29T18:30" tells. */
export function parseStart(text: string): number {
  const match = /^(.{10})T([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (match === null) throw new ConvexError("invalid_start");
  return parseDay(text.slice(0, 10)) * DAY + (Number(match[2]) * 60 + Number(match[3])) * MINUTE;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, format);
  return format;
}

/** Throws if there is no such time zone. */
export function checkZone(zone: string): void {
  try {
    formatOf(zone);
  } catch {
    throw new ConvexError("invalid_zone");
  }
}

/** How far the clocks of a zone are ahead of UTC at a moment. */
function offsetAt(zone: string, moment: number): number {
  let year = 1970;
  let month = 1;
  let date = 1;
  let hour = 0;
  let minute = 0;
  let second = 0;
  for (const { type, value } of formatOf(zone).formatToParts(moment)) {
    if (type === "year") year = Number(value);
    else if (type === "month") month = Number(value);
    else if (type === "day") date = Number(value);
    else if (type === "hour") hour = Number(value) % 24;
    else if (type === "minute") minute = Number(value);
    else if (type === "second") second = Number(value);
  }
  const local = numberOf(year, month, date) * DAY + ((hour * 60 + minute) * 60 + second) * 1000;
  return local - Math.floor(moment / 1000) * 1000;
}

/**
 * The moment at which the clocks of a zone show a local time: the first one if they show it twice. One
 * that they leave out is told as if they had not been put forward yet.
 */
export function toMoment(zone: string, local: number): number {
  const before = offsetAt(zone, local - WIDEST);
  const after = offsetAt(zone, local + WIDEST);
  if (before === after || offsetAt(zone, local - before) === before) return local - before;
  return offsetAt(zone, local - after) === after ? local - after : local - before;
}

/** What the clocks of a zone show at a moment, such as "2026-03-29T18:30+02:00". */
export function momentText(zone: string, moment: number): string {
  const offset = offsetAt(zone, moment);
  const local = new Date(moment + offset).toISOString().slice(0, 16);
  const seconds = Math.abs(offset) / 1000;
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (seconds % 60 !== 0) parts.push(seconds % 60);
  const ahead = parts.map((part) => String(part).padStart(2, "0")).join(":");
  return `${local}${offset < 0 ? "-" : "+"}${ahead}`;
}
