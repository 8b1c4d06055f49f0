// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, type MutationCtx, type QueryCtx } from "./_generated/server";
import { DAY, dayOf, numberOf } from "./model/clocks";
import { type Change, expand, findLast, findOccurrences, occur, overlaps } from "./model/occurrences";
import { isPlanned, listPlanned, type Rule } from "./model/rule";

const CHECKED = 120 * DAY;

async function load(ctx: QueryCtx, id: Id<"series">): Promise<Doc<"series">> {
  const series = await ctx.db.get("series", id);
  if (series === null) throw new ConvexError("not_found");
  return series;
}

const listChanges = async (ctx: QueryCtx, series: Id<"series">): Promise<Doc<"changes">[]> =>
  await ctx.db
    .query("changes")
    .withIndex("by_series", (q) => q.eq("series", series))
    .collect();

/** Refuses a series that cannot be added. Of `former`, what is before its new end stays. */
async function check(
  ctx: QueryCtx,
  rule: Rule,
  changes: Change[],
  former?: { series: Id<"series">; until: string },
): Promise<void> {
  if (listPlanned(rule, Infinity).next().done === true) throw new ConvexError("empty");
  const begin = (numberOf(rule.start) - 2) * DAY;
  const span = { begin, end: begin + CHECKED };
  const mine = expand(rule, changes, span);
  mine.sort((one, other) => one.begin - other.begin);
  for (const [index, one] of mine.entries()) {
    if (index > 0 && overlaps(mine[index - 1], one)) throw new ConvexError("overlap");
  }
  for (const theirs of await findOccurrences(ctx, rule.room, span)) {
    if (theirs.series._id === former?.series && theirs.day > former.until) continue;
    if (mine.some((one) => overlaps(one, theirs))) throw new ConvexError("taken");
  }
}

async function setChange(
  ctx: MutationCtx,
  series: Doc<"series">,
  change: Change,
): Promise<void> {
  const changes = await listChanges(ctx, series._id);
  const stored = changes.find(({ day }) => day === change.day);
  const document = { series: series._id, ...change };
  if (stored === undefined) await ctx.db.insert("changes", document);
  else await ctx.db.replace("changes", stored._id, document);
  const others = changes.filter(({ day }) => day !== change.day);
  await ctx.db.patch("series", series._id, { last: findLast(series, [...others, change]) });
}

export const add = mutation({
  args: {
    room: v.id("rooms"),
    title: v.string(),
    zone: v.string(),
    start: v.string(),
    minutes: v.number(),
    every: v.optional(
      v.union(v.literal("day"), v.literal("week"), v.literal("month"), v.literal("year")),
    ),
    interval: v.optional(v.number()),
    weekdays: v.optional(v.array(v.number())),
    nth: v.optional(v.number()),
    count: v.optional(v.number()),
    until: v.optional(v.string()),
  },
  returns: v.id("series"),
  handler: async (ctx, rule) => {
    await check(ctx, rule, []);
    return await ctx.db.insert("series", { ...rule, last: findLast(rule, []) });
  },
});

export const skip = mutation({
  args: { series: v.id("series"), day: v.string() },
  returns: v.null(),
  handler: async (ctx, { series: id, day }) => {
    const series = await load(ctx, id);
    if (!isPlanned(series, numberOf(day))) throw new ConvexError("no_such_day");
    await setChange(ctx, series, { day });
    return null;
  },
});

export const move = mutation({
  args: {
    series: v.id("series"),
    day: v.string(),
    start: v.string(),
    minutes: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async (ctx, { series: id, ...change }) => {
    const series = await load(ctx, id);
    const number = numberOf(change.day);
    if (!isPlanned(series, number)) throw new ConvexError("no_such_day");
    const moved = occur(series, number, change);
    if (moved !== null) {
      for (const other of await findOccurrences(ctx, series.room, moved)) {
        if (other.series._id !== id || other.day !== change.day) throw new ConvexError("taken");
      }
    }
    await setChange(ctx, series, change);
    return null;
  },
});

export const follow = mutation({
  args: {
    series: v.id("series"),
    day: v.string(),
    start: v.optional(v.string()),
    minutes: v.optional(v.number()),
    title: v.optional(v.string()),
  },
  returns: v.id("series"),
  handler: async (ctx, { series: id, day, start, minutes, title }) => {
    const series = await load(ctx, id);
    const number = numberOf(day);
    const planned = [...listPlanned(series, number)];
    if (planned.at(-1) !== number) throw new ConvexError("no_such_day");
    const newStart = start ?? `${day}${series.start.slice(10)}`;
    const shift = numberOf(newStart) - number;
    const shiftDay = (text: string) => dayOf(numberOf(text) + shift);
    const { room, zone, every, interval, nth } = series;
    const later: Rule = {
      room,
      zone,
      every,
      interval,
      nth,
      title: title || series.title,
      start: newStart,
      minutes: minutes || series.minutes,
      weekdays: series.weekdays?.map((weekday) => (((weekday + shift) % 7) + 7) % 7),
      count: series.count && series.count - planned.length + 1,
      until: series.until === undefined ? undefined : shiftDay(series.until),
    };
    const changes = await listChanges(ctx, id);
    const following = changes.filter((change) => change.day >= day);
    const moved = following.map((change) => ({
      day: shiftDay(change.day),
      start: change.start,
      minutes: change.minutes,
    }));
    const until = dayOf(number - 1);
    await check(ctx, later, moved, { series: id, until });
    const made = await ctx.db.insert("series", { ...later, last: findLast(later, moved) });
    for (const change of following) await ctx.db.delete("changes", change._id);
    for (const change of moved) await ctx.db.insert("changes", { series: made, ...change });
    const staying = changes.filter((change) => change.day < day);
    if (day === dayOf(planned[0])) {
      for (const change of staying) await ctx.db.delete("changes", change._id);
      await ctx.db.delete("series", id);
    } else {
      const last = findLast({ ...series, until }, staying);
      await ctx.db.patch("series", id, { until, last });
    }
    return made;
  },
});
