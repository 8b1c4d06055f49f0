// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation } from "./_generated/server";
import type { MutationCtx } from "./_generated/server";
import { DAY, dayText, parseDay, parseStart } from "./lib/days";
import { Plan, lastDay, orElse, place } from "./lib/plan";
import type { Booking, Change } from "./lib/plan";
import { changesOf, check, takingPlace } from "./lib/room";
import { Zones } from "./lib/zones";
import { seriesFields } from "./schema";

/** Books a series. */
export const add = mutation({
  args: seriesFields,
  returns: v.id("series"),
  handler: async (ctx, booking) => {
    if ((await ctx.db.get("rooms", booking.room)) === null) {
      throw new ConvexError("no_such_room");
    }
    const changes = new Map<number, Change>();
    const plan = await check(ctx, booking, changes, new Zones());
    return await ctx.db.insert("series", { ...booking, last: lastDay(booking, plan, changes) });
  },
});

/** Nothing takes place on a day of a series. */
export const skip = mutation({
  args: { series: v.id("series"), day: v.string() },
  returns: v.null(),
  handler: async (ctx, { series, day }) => {
    const opened = await open(ctx, series, day);
    await change(ctx, opened, {});
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
  handler: async (ctx, { series, day, start, minutes }) => {
    const opened = await open(ctx, series, day);
    const { document, changes } = opened;
    const zones = new Zones();
    const moment = parseStart(start);
    const moved = place(
      opened.day,
      moment.day * DAY + moment.time,
      orElse(minutes, document.minutes),
      zones.get(document.zone),
    );
    const others = await takingPlace(ctx, document.room, moved.begin, moved.end, zones, {
      series: document,
      changes,
    });
    for (const other of others) {
      const own = other.series._id === series;
      if (other.occurrences.some((another) => !own || another.day !== opened.day)) {
        throw new ConvexError("taken");
      }
    }
    await change(ctx, opened, { start, minutes });
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
  handler: async (ctx, { series, day: dayGiven, start, minutes, title }) => {
    const { document, plan, day, documents, changes } = await open(ctx, series, dayGiven);
    const earlier = plan.before(day);
    const newStart = start ?? `${dayText(day)}${document.start.slice(10)}`;
    const shift = parseStart(newStart).day - day;
    const { count, until, weekdays } = document;
    const later: Booking = {
      room: document.room,
      title: title === undefined || title === "" ? document.title : title,
      zone: document.zone,
      start: newStart,
      minutes: orElse(minutes, document.minutes),
      every: document.every,
      interval: document.interval,
      weekdays: weekdays?.map((weekday) => (((weekday + shift) % 7) + 7) % 7),
      nth: document.nth,
      count: count === undefined || count === 0 ? count : count - earlier,
      until: until === undefined ? undefined : dayText(parseDay(until) + shift),
    };
    const laterChanges = new Map<number, Change>();
    for (const [changed, what] of changes) {
      if (changed >= day) {
        laterChanges.set(changed + shift, what);
      }
    }
    const former: Doc<"series"> = { ...document, until: dayText(day - 1) };
    const laterPlan = await check(ctx, later, laterChanges, new Zones(), {
      series: former,
      changes,
    });

    const id = await ctx.db.insert("series", {
      ...later,
      last: lastDay(later, laterPlan, laterChanges),
    });
    for (const [changed, what] of laterChanges) {
      await ctx.db.insert("changes", { series: id, day: dayText(changed), ...what });
    }
    if (earlier === 0) {
      for (const { _id } of documents) {
        await ctx.db.delete("changes", _id);
      }
      await ctx.db.delete("series", series);
    } else {
      // What was changed on later days stays with the former series, which does not reach them.
      await ctx.db.patch("series", series, {
        until: former.until,
        last: lastDay(former, new Plan(former), changes),
      });
    }
    return id;
  },
});

/** A series with all that was changed of it, and one of its days. */
interface Opened {
  document: Doc<"series">;
  plan: Plan;
  day: number;
  documents: Doc<"changes">[];
  changes: Map<number, Change>;
}

/** Refuses a day that the series does not have. */
async function open(ctx: MutationCtx, series: Id<"series">, text: string): Promise<Opened> {
  const document = await ctx.db.get("series", series);
  if (document === null) {
    throw new ConvexError("no_such_series");
  }
  const day = parseDay(text);
  const plan = new Plan(document);
  if (!plan.has(day)) {
    throw new ConvexError("no_such_day");
  }
  const documents = await ctx.db
    .query("changes")
    .withIndex("by_series", (q) => q.eq("series", series))
    .collect();
  return { document, plan, day, documents, changes: changesOf(documents) };
}

/** Stores what is different on the day, in place of what was, and when the series now ends. */
async function change(ctx: MutationCtx, opened: Opened, what: Change): Promise<void> {
  const { document, plan, day, documents, changes } = opened;
  const text = dayText(day);
  const stored = documents.find((one) => one.day === text);
  const fields = { series: document._id, day: text, ...what };
  if (stored === undefined) {
    await ctx.db.insert("changes", fields);
  } else {
    await ctx.db.replace("changes", stored._id, fields);
  }
  const last = lastDay(document, plan, new Map(changes).set(day, what));
  if (last !== document.last) {
    await ctx.db.patch("series", document._id, { last });
  }
}
