// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export const MINUTE = 60_000;
export const DAY = 86_400_000;

const formats: Record<string, Intl.DateTimeFormat> = {};
const known = new Map<string, number>();

/** The offset of a zone in a quarter of an hour of UTC, read from texts such as "GMT-03:30". */
export function offsetAt(zone: string, moment: number): number {
  const quarter = Math.floor(moment / (15 * MINUTE));
  const key = `${quarter} ${zone}`;
  const stored = known.get(key);
  if (stored !== undefined) return stored;
  formats[zone] ??= new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  const parts = formats[zone].formatToParts(quarter * 15 * MINUTE);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  const [hours = 0, minutes = 0] = name.slice(4).split(":").map(Number);
  const offset = (name[3] === "-" ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
  known.set(key, offset);
  return offset;
}

/** The first moment at which the clocks show a time; before a time that is left out, they run on. */
export function momentOf(zone: string, wall: number): number {
  const offsets = [offsetAt(zone, wall - DAY), offsetAt(zone, wall + DAY)];
  const fitting = offsets
    .map((offset) => wall - offset)
    .filter((moment) => moment + offsetAt(zone, moment) === wall);
  return fitting.length === 0 ? wall - offsets[0] : Math.min(...fitting);
}

export function show(zone: string, moment: number): string {
  const minutes = offsetAt(zone, moment) / MINUTE;
  const size = Math.abs(minutes);
  const clock = new Date(size * MINUTE).toISOString().slice(11, 16);
  return `${showWall(moment + minutes * MINUTE)}${minutes < 0 ? "-" : "+"}${clock}`;
}

export const showWall = (wall: number): string => new Date(wall).toISOString().slice(0, 16);
export const numberOf = (day: string): number => Date.parse(`${day.slice(0, 10)}T00:00Z`) / DAY;
export const dayOf = (number: number): string => showWall(number * DAY).slice(0, 10);
export const wallOf = (start: string): number => Date.parse(`${start}:00Z`);
export const weekdayOf = (number: number): number => (new Date(number * DAY).getUTCDay() + 6) % 7;
