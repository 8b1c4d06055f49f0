// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import {
  addMonths,
  average,
  bind,
  compare,
  compareNocase,
  divide,
  fold,
  getWeek,
  getWeekday,
  groupBy,
  round,
  sum,
} from "./model/sqlite";
import { listItems, listLive, type Booking, type Item } from "./model/tables";

interface Joined {
  item: Item;
  booking: Booking | null;
}

export const weeks = query({
  args: { channel: v.string() },
  handler: async (ctx, args) => {
    const channel = bind(args.channel);
    const live = (await listLive(ctx)).filter(
      (booking) => channel === null || booking.channel === channel,
    );
    return [...groupBy(live, ({ starts }) => getWeek(starts))]
      .sort(([a], [b]) => compare(a, b))
      .map(([week, group]) => {
        const prices = group.map(({ price }) => price);
        const cents = sum(prices);
        const mean = average(prices);
        return {
          week,
          bookings: group.length,
          cents,
          mean: divide(cents, group.length),
          priced: mean,
          rounded: round(mean),
          customers: new Set(
            group.flatMap(({ customer }) => (customer === null ? [] : [fold(customer)])),
          ).size,
          weekday: String(Math.min(...group.map(({ starts }) => getWeekday(starts)))),
          is_good: cents !== null && cents > 0,
        };
      });
  },
});

export const months = query({
  args: { from: v.string(), months: v.number() },
  handler: async (ctx, args) => {
    const from = bind(args.from);
    const live = await listLive(ctx);
    const rows = [];
    let before: number | null = null;
    // The first month comes before their number is looked at.
    for (let k = 0; k === 0 || k < args.months; k++) {
      const day = from === null ? null : addMonths(from, k);
      const month = day === null ? null : day.slice(0, 7);
      const bookings = live.filter(({ starts }) => starts.slice(0, 7) === month);
      const cents = sum(bookings.map(({ price }) => price));
      rows.push({
        ...{ day, month },
        entries: Math.max(bookings.length, 1),
        bookings: bookings.length,
        cents,
        growth: cents === null || before === null ? null : cents - before,
      });
      before = cents;
    }
    return rows;
  },
});

export const ranking = query({
  args: { site: v.union(v.number(), v.null()), offset: v.number() },
  handler: async (ctx, args) => {
    const live = groupBy(await listLive(ctx), ({ item }) => item);
    const items = (await listItems(ctx))
      .filter(
        ({ retired, site }) => retired === null && (args.site === null || site === args.site),
      )
      .map(({ id, site, daily }) => {
        const bookings = live.get(id) ?? [];
        const cents = sum(bookings.map(({ price }) => price));
        return { id, site, daily, cents, bookings: bookings.length };
      });
    const counts = [...new Set(items.map(({ bookings }) => bookings))].sort((a, b) => a - b);
    const byPrice = [...items].sort((a, b) => a.daily - b.daily || a.id - b.id);
    const rows = items.map((item) => {
      const rivals = items.filter(({ site }) => site === item.site);
      const place = byPrice.indexOf(item);
      const size = Math.floor(items.length / 3);
      const large = items.length % 3;
      // The first parts have one more, as long as there is a rest.
      const third =
        place < large * (size + 1)
          ? Math.floor(place / (size + 1)) + 1
          : Math.floor((place - large * (size + 1)) / size) + large + 1;
      return {
        site: item.site,
        id: item.id,
        cents: item.cents,
        rank: rivals.filter(({ cents }) => compare(cents, item.cents) > 0).length + 1,
        step: counts.indexOf(item.bookings) + 1,
        third,
        share: divide(
          item.cents === null ? null : 100 * item.cents,
          sum(rivals.map(({ cents }) => cents)),
        ),
      };
    });
    return rows
      .sort((a, b) => compare(a.site, b.site) || a.rank - b.rank || a.id - b.id)
      .slice(Math.max(args.offset, 0));
  },
});

export const sites = query({
  args: { from: v.string() },
  handler: async (ctx, args) => {
    const from = bind(args.from);
    const bookings = groupBy(await ctx.db.query("bookings").collect(), ({ item }) => item);
    const items = groupBy(await listItems(ctx), ({ site }) => site);
    const all = await ctx.db.query("sites").collect();
    return all
      .sort(
        (a, b) =>
          compare(a.region, b.region) || compareNocase(b.name, a.name) || a.id - b.id,
      )
      .flatMap(({ id, name, region }) => {
        const own = items.get(id) ?? [];
        // The rows of both joins, before and after the WHERE.
        const joined = own.flatMap((item): Joined[] => {
          const later = (bookings.get(item.id) ?? []).filter(
            ({ starts }) => from !== null && starts >= from,
          );
          return later.length === 0
            ? [{ item, booking: null }]
            : later.map((booking) => ({ item, booking }));
        });
        const rows = joined.filter(({ booking }) => booking?.state !== "cancelled");
        if (own.length > 0 && rows.length === 0) return [];
        const booked = rows.flatMap(({ item, booking }) =>
          booking === null ? [] : [{ item, booking }],
        );
        const cents = sum(booked.map(({ booking }) => booking.price));
        return [
          {
            id,
            name: region === null ? null : `${name} (${region})`,
            items: new Set(rows.map(({ item }) => item.id)).size,
            bookings: booked.length,
            worth: sum(booked.map(({ item, booking }) => booking.units * item.daily)),
            units: average(booked.map(({ booking }) => booking.units)),
            is_small: cents !== null && cents >= 0 && cents <= 5000,
          },
        ];
      });
  },
});
