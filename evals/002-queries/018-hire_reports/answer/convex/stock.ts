// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import {
  average,
  bind,
  castToInteger,
  compare,
  count,
  divide,
  groupBy,
  isBelow,
  isEqual,
  isLike,
  not,
  rest,
  round,
  sum,
} from "./model/sqlite";
import { listItems, listLive } from "./model/tables";

export const history = query({
  args: { item: v.number() },
  handler: async (ctx, { item }) => {
    const movements = await ctx.db
      .query("movements")
      .withIndex("by_item", (q) => q.eq("item", item))
      .collect();
    const byDay = [...movements].sort((a, b) => compare(a.day, b.day) || a.id - b.id);
    const backwards = [...movements].sort((a, b) => compare(b.day, a.day) || a.id - b.id);
    return [...movements]
      .sort((a, b) => a.id - b.id)
      .map((movement) => {
        const { id, day, units, reason } = movement;
        const place = byDay.indexOf(movement);
        const two = backwards[backwards.indexOf(movement) - 2];
        const alike = byDay.filter((each) => each.units > 0 === units > 0);
        return {
          ...{ id, day, units },
          dozens: divide(units, 12),
          single: rest(units, 12),
          boxes: round(units / 12),
          level: sum(byDay.filter((each) => each.day <= day).map((each) => each.units)),
          recent: average(byDay.slice(Math.max(place - 2, 0), place + 1).map((each) => each.units)),
          next: two === undefined ? 0 : two.units,
          // The default frame ends at the row itself.
          word: reason,
          first: alike[0].reason,
          reasons: count(movements.map((each) => each.reason)),
        };
      });
  },
});

export const reasons = query({
  args: { pattern: v.string(), least: v.number() },
  handler: async (ctx, args) => {
    const pattern = bind(args.pattern);
    const movements = (await ctx.db.query("movements").collect()).flatMap((movement) =>
      movement.reason !== null && isLike(movement.reason, pattern, "!") === true
        ? [{ ...movement, reason: movement.reason }]
        : [],
    );
    return [...groupBy(movements, ({ reason }) => reason.split(" ", 1)[0])]
      .map(([word, group]) => {
        const days = group.map(({ day }) => day).sort(compare);
        return {
          word,
          entries: group.length,
          units: group.reduce((total, { units }) => total + units, 0),
          refs: sum(
            group.map(({ reason }) => castToInteger(reason.slice(reason.indexOf("#") + 1))),
          ),
          days: `${days[days.length - 1]} ${days[0]}`,
        };
      })
      .filter(({ units }) => Math.abs(units) >= args.least)
      .sort((a, b) => Math.abs(b.units) - Math.abs(a.units) || compare(a.word, b.word));
  },
});

export const differences = query({
  args: { day: v.string() },
  handler: async (ctx, args) => {
    const day = bind(args.day);
    const movements = groupBy(await ctx.db.query("movements").collect(), ({ item }) => item);
    return (await listItems(ctx))
      .flatMap(({ id, stock }) => {
        const own = (movements.get(id) ?? []).filter((each) => isBelow(day, each.day) === false);
        const moved = sum(own.map(({ units }) => units));
        if (moved === null || not(isEqual(stock, moved)) !== true) return [];
        return [{ id, stock, moved, difference: stock - moved }];
      })
      .sort((a, b) => a.difference - b.difference || a.id - b.id);
  },
});

export const diary = query({
  args: { day: v.string() },
  handler: async (ctx, args) => {
    const day = bind(args.day);
    const movements = await ctx.db.query("movements").collect();
    const moves = movements
      .filter((movement) => movement.day === day)
      .map(({ item, units, reason }) => ({ what: "move", item, units, note: reason }));
    const hires = (await listLive(ctx))
      .filter(({ starts }) => starts.slice(0, 10) === day)
      .map(({ item, units, channel }) => ({ what: "hire", item, units: -units, note: channel }));
    // UNION keeps one of several equal rows.
    const rows = new Map(
      [...moves, ...hires].map((row) => [
        JSON.stringify([row.what, row.item, row.units, row.note]),
        row,
      ]),
    );
    return [...rows.values()].sort(
      (a, b) =>
        compare(a.item, b.item) ||
        compare(a.what, b.what) ||
        a.units - b.units ||
        compare(a.note, b.note),
    );
  },
});
