// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { DAY, dayOf, momentOf, numberOf, show as showMoment, weekdayOf } from "./model/clocks";
import { findOccurrences, overlaps } from "./model/occurrences";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const HOUR = 3_600_000;

/** Rounds to one digit, halves to the even one; halves of what is no whole second are not exact. */
function roundHours(hours: number): number {
  const twentieths = hours * 20;
  if (Number.isInteger(hours * 4) && twentieths % 2 !== 0) {
    const below = (twentieths - 1) / 2;
    return (below % 2 === 0 ? below : below + 1) / 10;
  }
  return Number(hours.toFixed(1));
}

const compareTexts = (one: string, other: string): number => {
  const [left, right] = [Array.from(one), Array.from(other)];
  for (const [index, character] of left.entries()) {
    if (index >= right.length) return 1;
    const difference = (character.codePointAt(0) ?? 0) - (right[index].codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

export const show = query({
  args: { room: v.id("rooms"), first: v.string(), days: v.number(), zone: v.string() },
  handler: async (ctx, { room, first, days, zone }) => {
    const start = numberOf(first);
    const bounds: number[] = [];
    for (let n = 0; n <= days; n++) bounds.push(momentOf(zone, (start + n) * DAY));
    if (days <= 0) return [];
    const span = { begin: bounds[0], end: bounds[days] };
    const occurrences = await findOccurrences(ctx, room, span);
    return bounds.slice(0, -1).map((begin, n) => {
      const page = { begin, end: bounds[n + 1] };
      const rows = occurrences.filter((occurrence) => overlaps(occurrence, page));
      rows.sort(
        (one, other) =>
          one.begin - other.begin ||
          other.end - one.end ||
          compareTexts(one.series.title.toLowerCase(), other.series.title.toLowerCase()),
      );
      let milliseconds = 0;
      for (const row of rows) {
        milliseconds += Math.min(row.end, page.end) - Math.max(row.begin, page.begin);
      }
      return {
        day: `${WEEKDAYS[weekdayOf(start + n)]} ${dayOf(start + n)}`,
        hours: roundHours(milliseconds / HOUR),
        entries: rows.map(({ series, day, begin: from, end: to }) => ({
          series: series._id,
          day,
          title: series.title,
          begin: showMoment(zone, from),
          end: showMoment(zone, to),
        })),
      };
    });
  },
});
