// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const MINUTE = 60_000;
export const DAY = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  return format;
}

/** The milliseconds by which the clocks of a zone are ahead of UTC at a moment. */
export function offsetAt(zone: string, moment: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(moment)) parts[type] = Number(value);
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/**
 * The moment at which the clocks of a zone show a time, given as if it were UTC. Of two it is the
 * first; a time that is left out is told by the clocks as they were before.
 */
export function momentOf(zone: string, wall: number): number {
  const before = offsetAt(zone, wall - DAY);
  if (offsetAt(zone, wall - before) === before) return wall - before;
  const after = offsetAt(zone, wall + DAY);
  return offsetAt(zone, wall - after) === after ? wall - after : wall - before;
}

/** A moment as the clocks of a zone show it, to the minute, with the offset. */
export function show(zone: string, moment: number): string {
  const offset = offsetAt(zone, moment);
  const minutes = Math.abs(offset) / MINUTE;
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const sign = offset < 0 ? "-" : "+";
  return `${showWall(moment + offset)}${sign}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** A wall time, given as if it were UTC, as starts are stored. */
export const showWall = (wall: number): string => new Date(wall).toISOString().slice(0, 16);

/** The number of a day, and back. */
export const numberOf = (day: string): number => Date.parse(day.slice(0, 10)) / DAY;
export const dayOf = (number: number): string => new Date(number * DAY).toISOString().slice(0, 10);

/** A stored start as if it were UTC. */
export const wallOf = (start: string): number => Date.parse(`${start}Z`);

/** 0 for a Monday. The first day of 1970 was a Thursday. */
export const weekdayOf = (number: number): number => (((number + 3) % 7) + 7) % 7;
