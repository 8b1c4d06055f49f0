// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query } from "./_generated/server";
import { checkZone, DAY, dayText, momentText, parseDay, toMoment, weekdayOf } from "./clocks";
import { bookedBetween } from "./occupancy";

const MOST_DAYS = 42;

/** The place of a UTF-16 unit in the order of code points. */
function placeOf(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** Compares texts by their code points. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const difference = placeOf(one.charCodeAt(index)) - placeOf(other.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Rounds to one decimal; of two that are equally near, to the even one. */
function round(value: number): number {
  // Only quarters lie exactly between two tenths.
  if (Number.isInteger(value * 4) && !Number.isInteger(value * 2)) {
    const below = Math.floor(value * 10);
    return (below % 2 === 0 ? below : below + 1) / 10;
  }
  return Number(value.toFixed(1));
}

function dayTitle(day: number): string {
  const at = 3 * weekdayOf(day);
  return `${"MonTueWedThuFriSatSun".slice(at, at + 3)} ${dayText(day)}`;
}

/** What takes place in a room, by the days of whoever looks at it. */
export const show = query({
  args: { room: v.id("rooms"), first: v.string(), days: v.number(), zone: v.string() },
  returns: v.array(
    v.object({
      day: v.string(),
      hours: v.number(),
      entries: v.array(
        v.object({
          series: v.id("series"),
          day: v.string(),
          title: v.string(),
          begin: v.string(),
          end: v.string(),
        }),
      ),
    }),
  ),
  handler: async (ctx, { room, first, days, zone }) => {
    if (!Number.isInteger(days) || days > MOST_DAYS) throw new ConvexError("invalid_days");
    checkZone(zone);
    const firstDay = parseDay(first);
    if (days <= 0) return [];

    const midnight = (number: number) => toMoment(zone, (firstDay + number) * DAY);
    const booked = await bookedBetween(ctx, room, midnight(0), midnight(days), null);
    const all = booked.flatMap(({ series, occurrences }) => {
      const lower = series.title.toLowerCase();
      return occurrences.map((one) => ({
        begin: one.begin,
        end: one.end,
        lower,
        entry: {
          series: series._id,
          day: dayText(one.day),
          title: series.title,
          begin: momentText(zone, one.begin),
          end: momentText(zone, one.end),
        },
      }));
    });
    all.sort(
      (one, other) =>
        one.begin - other.begin || other.end - one.end || compareTexts(one.lower, other.lower),
    );

    return Array.from({ length: days }, (_, number) => {
      const begin = midnight(number);
      const end = midnight(number + 1);
      const rows = all.filter((one) => one.begin < end && begin < one.end);
      let seconds = 0;
      for (const one of rows) {
        seconds += (Math.min(one.end, end) - Math.max(one.begin, begin)) / 1000;
      }
      return {
        day: dayTitle(firstDay + number),
        hours: round(seconds / 3600),
        entries: rows.map((one) => one.entry),
      };
    });
  },
});
