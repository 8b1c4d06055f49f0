// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query } from "./_generated/server";
import { DAY, dayText, parseDay, weekdayName } from "./lib/days";
import { takingPlace } from "./lib/room";
import { Zones } from "./lib/zones";

const MOST_DAYS = 42;

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
    if (!Number.isInteger(days) || days > MOST_DAYS) {
      throw new ConvexError("invalid_days");
    }
    const zones = new Zones();
    const viewer = zones.get(zone);
    const start = parseDay(first);
    if (days <= 0) {
      return [];
    }
    const pages = Array.from({ length: days }, (_, number) => {
      const day = start + number;
      return { day, begin: viewer.instant(day * DAY), end: viewer.instant((day + 1) * DAY) };
    });
    const taking = await takingPlace(
      ctx,
      room,
      Math.min(...pages.map((page) => page.begin)),
      Math.max(...pages.map((page) => page.end)),
      zones,
    );
    const all = taking.flatMap(({ series, occurrences }) => {
      const letters = lettersOf(series.title.toLowerCase());
      return occurrences.map((one) => ({ ...one, series, letters }));
    });
    return pages.map(({ day, begin, end }) => {
      const rows = all
        .filter((one) => one.begin < end && begin < one.end)
        .sort(
          (one, other) =>
            one.begin - other.begin ||
            other.end - one.end ||
            compareLetters(one.letters, other.letters),
        );
      let taken = 0;
      for (const one of rows) {
        taken += Math.min(one.end, end) - Math.max(one.begin, begin);
      }
      return {
        day: `${weekdayName(day)} ${dayText(day)}`,
        hours: roundHours(taken / 1000 / 3600),
        entries: rows.map((one) => ({
          series: one.series._id,
          day: dayText(one.day),
          title: one.series.title,
          begin: viewer.stamp(one.begin),
          end: viewer.stamp(one.end),
        })),
      };
    });
  },
});

/** To one decimal; what lies in the middle goes to the even one, as in Python. */
function roundHours(hours: number): number {
  const size = Math.abs(hours);
  const whole = Math.floor(size);
  // Of the middles, a float can only be those of .25 and .75, and toFixed takes the larger one.
  const rounded = size - whole === 0.25 ? Number(`${whole}.2`) : Number(size.toFixed(1));
  return hours < 0 ? -rounded : rounded;
}

/** Python compares texts by code points, JavaScript by their halves. */
function lettersOf(text: string): number[] {
  return Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
}

function compareLetters(one: number[], other: number[]): number {
  const length = Math.min(one.length, other.length);
  for (let place = 0; place < length; place += 1) {
    const difference = (one[place] ?? 0) - (other[place] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return one.length - other.length;
}
