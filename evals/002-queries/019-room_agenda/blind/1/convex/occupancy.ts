// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { DAY, dayAt, dayText, FIRST_DAY, parseDay, parseStart } from "./clocks";
import {
  AHEAD,
  between,
  type Change,
  type Changes,
  type Occurrence,
  type Rule,
  REACH,
} from "./rules";

export type Booked = { series: Doc<"series">; occurrences: Occurrence[] };

const RECURRENCES = ["day", "week", "month", "year"] as const;

/**
 * So many series of each recurrence are read from the latest end backwards. If more end after the
 * beginning of what is asked, this is long ago: then those that began later are passed over.
 */
const LATEST = 30;

/** How many days after what is asked a series may begin that was moved there, if it is long ago. */
const MOVED_BACK = 31;

/** Single bookings whose last day is one of these. */
async function singles(
  ctx: QueryCtx,
  room: Id<"rooms">,
  from: number,
  to: number,
): Promise<Doc<"series">[]> {
  return await ctx.db
    .query("series")
    .withIndex("by_room_and_every", (q) =>
      q
        .eq("room", room)
        .eq("every", undefined)
        .gte("last", dayText(from))
        .lte("last", dayText(to)),
    )
    .collect();
}

/** Series that recur and may take place on one of these days. */
async function recurring(
  ctx: QueryCtx,
  room: Id<"rooms">,
  from: number,
  to: number,
): Promise<Doc<"series">[]> {
  const found = new Map<Id<"series">, Doc<"series">>();
  let unread = ""; // up to this last day there may be others
  for (const every of RECURRENCES) {
    const endless = await ctx.db
      .query("series")
      .withIndex("by_room_and_every", (q) =>
        q.eq("room", room).eq("every", every).eq("last", undefined),
      )
      .collect();
    for (const series of endless) found.set(series._id, series);

    const ending = await ctx.db
      .query("series")
      .withIndex("by_room_and_every", (q) =>
        q.eq("room", room).eq("every", every).gte("last", dayText(from)),
      )
      .order("desc")
      .take(LATEST);
    let earliest = "";
    for (const series of ending) {
      found.set(series._id, series);
      earliest = series.last ?? earliest;
    }
    if (ending.length === LATEST && earliest > unread) unread = earliest;
  }
  if (unread === "") return [...found.values()];

  // An empty range of the index costs no document, so it is asked for each day on which one may end.
  const days: string[] = [];
  for (let day = from; day <= parseDay(unread); day += 1) days.push(dayText(day));
  const bound = dayText(to + MOVED_BACK);
  const ended = await Promise.all(
    days.map((last) =>
      ctx.db
        .query("series")
        .withIndex("by_room", (q) => q.eq("room", room).eq("last", last).lt("start", bound))
        .collect(),
    ),
  );
  for (const series of ended.flat()) {
    if (series.every !== undefined) found.set(series._id, series);
  }
  return [...found.values()];
}

/** The changes of a series that matter on these days: of days that are changed, or moved there. */
async function changesWithin(
  ctx: QueryCtx,
  series: Doc<"series">,
  from: number,
  to: number,
): Promise<Changes> {
  if (series.every === undefined) {
    const day = dayAt(parseStart(series.start));
    const change = await changeOf(ctx, series._id, day);
    return new Map<number, Change>(change === null ? [] : [[day, change]]);
  }
  const changed = await ctx.db
    .query("changes")
    .withIndex("by_series", (q) =>
      q.eq("series", series._id).gte("day", dayText(from)).lte("day", dayText(to)),
    )
    .collect();
  const moved = await ctx.db
    .query("changes")
    .withIndex("by_series_and_start", (q) =>
      q.eq("series", series._id).gte("start", dayText(from)).lt("start", dayText(to + 1)),
    )
    .collect();
  return byDay([...changed, ...moved]);
}

/** The change of a day of a series. */
export async function changeOf(
  ctx: QueryCtx,
  series: Id<"series">,
  day: number,
): Promise<Doc<"changes"> | null> {
  return await ctx.db
    .query("changes")
    .withIndex("by_series", (q) => q.eq("series", series).eq("day", dayText(day)))
    .unique();
}

/** All changes of a series, of which there are few. */
export async function changesOf(ctx: QueryCtx, series: Id<"series">): Promise<Doc<"changes">[]> {
  return await ctx.db
    .query("changes")
    .withIndex("by_series", (q) => q.eq("series", series))
    .collect();
}

export function byDay(changes: Doc<"changes">[]): Changes {
  return new Map<number, Change>(changes.map((change) => [parseDay(change.day), change]));
}

/** What takes place in a room between two moments, by series in the order of their creation. */
export async function bookedBetween(
  ctx: QueryCtx,
  room: Id<"rooms">,
  begin: number,
  end: number,
  except: Id<"series"> | null,
): Promise<Booked[]> {
  const from = Math.max(dayAt(begin) - REACH, FIRST_DAY);
  const to = dayAt(end) + AHEAD;
  const all = [
    ...(await singles(ctx, room, from, to)),
    ...(await recurring(ctx, room, from, to)),
  ].filter((series) => series._id !== except);
  all.sort((one, other) => one._creationTime - other._creationTime);
  return await Promise.all(
    all.map(async (series) => {
      const changes = await changesWithin(ctx, series, from, to);
      return { series, occurrences: between(series, changes, begin, end) };
    }),
  );
}

/** The span of moments in which a series is compared with the others when it is booked. */
export function checkedSpan(rule: Rule): { begin: number; end: number } {
  const begin = (dayAt(parseStart(rule.start)) - 2) * DAY;
  return { begin, end: begin + 120 * DAY };
}
