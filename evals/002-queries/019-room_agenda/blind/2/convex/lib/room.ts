// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";
import type { Doc, Id } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { DAY, boundText, parseDay, parseStart } from "./days";
import { Plan, occurrencesBetween, overlap, spanOf } from "./plan";
import type { Booking, Change, Changes, Occurrence } from "./plan";
import type { Zones } from "./zones";

/** For how long a new series is compared with what is booked. */
const CHECKED = 120 * DAY;

const RECURRING = ["day", "week", "month", "year"] as const;

/** A series whose changes are all known, and that may differ from what is stored. */
export interface Known {
  series: Doc<"series">;
  changes: Changes;
}

export interface Taking {
  series: Doc<"series">;
  occurrences: Occurrence[];
}

export function changesOf(documents: Doc<"changes">[]): Map<number, Change> {
  return new Map(
    documents.map(({ day, start, minutes }): [number, Change] => [parseDay(day), { start, minutes }]),
  );
}

/**
 * What takes place in a room within a time, by the series in the order of their creation. Where one
 * is known already, it takes the place of the stored one.
 */
export async function takingPlace(
  ctx: QueryCtx,
  room: Id<"rooms">,
  begin: number,
  end: number,
  zones: Zones,
  known?: Known,
): Promise<Taking[]> {
  const { from, to } = spanOf(begin, end);
  const stored = await seriesWithin(ctx, room, from, to);
  return await Promise.all(
    stored.map(async (document): Promise<Taking> => {
      const own = known !== undefined && known.series._id === document._id ? known : undefined;
      const series = own === undefined ? document : own.series;
      const plan = new Plan(series);
      const changes =
        own === undefined ? await changesWithin(ctx, series._id, plan, from, to) : own.changes;
      return {
        series,
        occurrences: occurrencesBetween(series, plan, changes, begin, end, zones),
      };
    }),
  );
}

/** The series of a room that may begin on one of these days. */
async function seriesWithin(
  ctx: QueryCtx,
  room: Id<"rooms">,
  from: number,
  to: number,
): Promise<Doc<"series">[]> {
  const earliest = boundText(from);
  const latest = boundText(to);
  const found = await Promise.all([
    // Those that go on for ever.
    ctx.db
      .query("series")
      .withIndex("by_room", (q) => q.eq("room", room).eq("last", undefined))
      .collect(),
    // Single bookings begin on their last day only.
    ctx.db
      .query("series")
      .withIndex("by_room_and_every", (q) =>
        q.eq("room", room).eq("every", undefined).gte("last", earliest).lte("last", latest),
      )
      .collect(),
    // Any day of the others may have been moved here, also from before their start.
    ...RECURRING.map((every) =>
      ctx.db
        .query("series")
        .withIndex("by_room_and_every", (q) =>
          q.eq("room", room).eq("every", every).gte("last", earliest),
        )
        .collect(),
    ),
  ]);
  return found.flat().sort((one, other) => one._creationTime - other._creationTime);
}

/** The changes of a series whose day or start is one of these days. */
async function changesWithin(
  ctx: QueryCtx,
  series: Id<"series">,
  plan: Plan,
  from: number,
  to: number,
): Promise<Changes> {
  if (plan.size === 0) {
    return new Map();
  }
  if (plan.size === 1) {
    return changesOf(await changedDays(ctx, series, plan.at(0), plan.at(0)));
  }
  const days = plan.between(from, to);
  const first = days[0];
  const last = days[days.length - 1];
  const [changed, moved] = await Promise.all([
    first === undefined || last === undefined ? [] : changedDays(ctx, series, first, last),
    ctx.db
      .query("changes")
      .withIndex("by_series_and_start", (q) =>
        q
          .eq("series", series)
          .gte("start", boundText(from))
          .lt("start", `${boundText(to)}\uffff`),
      )
      .collect(),
  ]);
  return changesOf([...changed, ...moved]);
}

async function changedDays(
  ctx: QueryCtx,
  series: Id<"series">,
  first: number,
  last: number,
): Promise<Doc<"changes">[]> {
  return await ctx.db
    .query("changes")
    .withIndex("by_series", (q) =>
      q.eq("series", series).gte("day", boundText(first)).lte("day", boundText(last)),
    )
    .collect();
}

/** Refuses a series that is not stored yet, where it cannot take place; gives its plan. */
export async function check(
  ctx: QueryCtx,
  booking: Booking,
  changes: Changes,
  zones: Zones,
  known?: Known,
): Promise<Plan> {
  const plan = new Plan(booking);
  if (plan.size === 0) {
    throw new ConvexError("empty");
  }
  const begin = (parseStart(booking.start).day - 2) * DAY;
  const end = begin + CHECKED;
  const mine = occurrencesBetween(booking, plan, changes, begin, end, zones);
  mine.sort((one, other) => one.begin - other.begin);
  let former: Occurrence | undefined;
  for (const one of mine) {
    if (former !== undefined && overlap(former, one)) {
      throw new ConvexError("overlap");
    }
    former = one;
  }
  const others = await takingPlace(ctx, booking.room, begin, end, zones, known);
  for (const { occurrences } of others) {
    if (occurrences.some((other) => mine.some((one) => overlap(one, other)))) {
      throw new ConvexError("taken");
    }
  }
  return plan;
}
