// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, type MutationCtx, type QueryCtx } from "./_generated/server";
import { checkZone, dayAt, dayText, modulo, parseDay, parseStart } from "./clocks";
import { bookedBetween, byDay, changeOf, changesOf, checkedSpan } from "./occupancy";
import {
  between,
  type Change,
  type Changes,
  given,
  isEndless,
  isPlanned,
  lastDay,
  occur,
  overlaps,
  plannedDays,
  type Rule,
} from "./rules";
import { bookingFields } from "./schema";

type Booking = Omit<Doc<"series">, "_id" | "_creationTime" | "last">;

/** What is left of a series that another one follows. */
type Former = { series: Id<"series">; rule: Rule; changes: Changes };

async function seriesOf(ctx: QueryCtx, id: Id<"series">): Promise<Doc<"series">> {
  const series = await ctx.db.get("series", id);
  if (series === null) throw new ConvexError("no_such_series");
  return series;
}

/** Refuses what the old server could not have been given. */
function checkForm(booking: Booking): void {
  parseStart(booking.start);
  checkZone(booking.zone);
  if (booking.until !== undefined) parseDay(booking.until);
  if (!Number.isFinite(booking.minutes)) throw new ConvexError("invalid_minutes");
  const { interval, weekdays, nth, count } = booking;
  for (const number of [interval, nth, count, ...(weekdays ?? [])]) {
    if (number !== undefined && !Number.isInteger(number)) throw new ConvexError("invalid_number");
  }
}

function checkMinutes(minutes: number | undefined): void {
  if (minutes !== undefined && !Number.isFinite(minutes)) throw new ConvexError("invalid_minutes");
}

/** Refuses a series that never takes place, or not beside itself and the others of its room. */
async function checkBooking(
  ctx: QueryCtx,
  booking: Booking,
  changes: Changes,
  former: Former | null,
): Promise<void> {
  if (plannedDays(booking).next().done === true) throw new ConvexError("empty");

  const { begin, end } = checkedSpan(booking);
  const mine = between(booking, changes, begin, end);
  mine.sort((one, other) => one.begin - other.begin);
  const overlap = mine.some((one, index) =>
    mine.slice(index + 1, index + 2).some((other) => overlaps(one, other)),
  );
  if (overlap) throw new ConvexError("overlap");

  const booked = await bookedBetween(ctx, booking.room, begin, end, former?.series ?? null);
  const theirs = booked.flatMap(({ occurrences }) => occurrences);
  if (former !== null) theirs.push(...between(former.rule, former.changes, begin, end));
  if (mine.some((one) => theirs.some((other) => overlaps(one, other)))) {
    throw new ConvexError("taken");
  }
}

/** Stores what is different on a day of a series, in place of what was before. */
async function storeChange(
  ctx: MutationCtx,
  series: Doc<"series">,
  day: number,
  change: Change,
): Promise<void> {
  const fields = { ...change, series: series._id, day: dayText(day) };
  const stored = await changeOf(ctx, series._id, day);
  if (stored === null) await ctx.db.insert("changes", fields);
  else await ctx.db.replace("changes", stored._id, fields);

  if (isEndless(series)) return;
  const last = lastDay(series, byDay(await changesOf(ctx, series._id)));
  if (last !== series.last) await ctx.db.patch("series", series._id, { last });
}

export const add = mutation({
  args: bookingFields,
  returns: v.id("series"),
  handler: async (ctx, booking) => {
    checkForm(booking);
    const room = await ctx.db.get("rooms", booking.room);
    if (room === null) throw new ConvexError("no_such_room");
    const changes: Changes = new Map<number, Change>();
    await checkBooking(ctx, booking, changes, null);
    return await ctx.db.insert("series", { ...booking, last: lastDay(booking, changes) });
  },
});

/** Leaves out one day of a series. */
export const skip = mutation({
  args: { series: v.id("series"), day: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const series = await seriesOf(ctx, args.series);
    const day = parseDay(args.day);
    if (!isPlanned(series, day)) throw new ConvexError("no_such_day");
    await storeChange(ctx, series, day, {});
    return null;
  },
});

/** Moves one day of a series; a day that was skipped takes place again. */
export const move = mutation({
  args: {
    series: v.id("series"),
    day: v.string(),
    start: v.string(),
    minutes: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async (ctx, args) => {
    const { series: id, day: dayOfRule, ...change } = args;
    const series = await seriesOf(ctx, id);
    const day = parseDay(dayOfRule);
    parseStart(change.start);
    checkMinutes(change.minutes);
    if (!isPlanned(series, day)) throw new ConvexError("no_such_day");

    const moved = occur(series, day, change);
    if (moved !== null) {
      const booked = await bookedBetween(ctx, series.room, moved.begin, moved.end, null);
      const taken = booked.some(({ series: other, occurrences }) =>
        occurrences.some((one) => other._id !== series._id || one.day !== day),
      );
      if (taken) throw new ConvexError("taken");
    }
    await storeChange(ctx, series, day, change);
    return null;
  },
});

/** Changes this day of a series and all that follow: from it on there is a new series. */
export const follow = mutation({
  args: {
    series: v.id("series"),
    day: v.string(),
    start: v.optional(v.string()),
    minutes: v.optional(v.number()),
    title: v.optional(v.string()),
  },
  returns: v.id("series"),
  handler: async (ctx, args) => {
    const series = await seriesOf(ctx, args.series);
    const day = parseDay(args.day);
    checkMinutes(args.minutes);
    const start = args.start ?? `${args.day}${series.start.slice(10)}`;
    const shift = dayAt(parseStart(start)) - day;

    const planned: number[] = [];
    let latest: number | null = null;
    for (const other of plannedDays(series)) {
      if (other > day) break;
      planned.push(other);
      latest = other;
    }
    if (latest !== day) throw new ConvexError("no_such_day");

    const count = given(series.count, 0);
    const later: Booking = {
      room: series.room,
      title: args.title === undefined || args.title === "" ? series.title : args.title,
      zone: series.zone,
      start,
      minutes: given(args.minutes, series.minutes),
      every: series.every,
      interval: series.interval,
      weekdays: (series.weekdays ?? []).map((weekday) => modulo(weekday + shift, 7)),
      nth: series.nth,
      count: count === 0 ? series.count : count - planned.length + 1,
      until: series.until === undefined ? undefined : dayText(parseDay(series.until) + shift),
    };
    const former = { ...series, until: dayText(day - 1) };

    const stored = await changesOf(ctx, series._id);
    const changes = byDay(stored);
    const laterChanges = new Map<number, Change>();
    for (const [other, { start: moved, minutes }] of changes) {
      if (other >= day) laterChanges.set(other + shift, { start: moved, minutes });
    }
    await checkBooking(ctx, later, laterChanges, { series: series._id, rule: former, changes });

    const id = await ctx.db.insert("series", { ...later, last: lastDay(later, laterChanges) });
    for (const [other, change] of laterChanges) {
      await ctx.db.insert("changes", { ...change, series: id, day: dayText(other) });
    }
    if (planned[0] === day) {
      for (const change of stored) await ctx.db.delete("changes", change._id);
      await ctx.db.delete("series", series._id);
    } else {
      const last = lastDay(former, changes);
      await ctx.db.patch("series", series._id, { until: former.until, last });
    }
    return id;
  },
});
