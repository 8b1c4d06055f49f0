// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import {
  and,
  bind,
  compare,
  compareNocase,
  divide,
  fold,
  formatReal,
  groupBy,
  isBelow,
  isEqual,
  isEqualNocase,
  isGlob,
  isIn,
  isLike,
  limitTo,
  not,
  or,
  raise,
  rest,
  sum,
} from "./model/sqlite";
import { listItems, listLive } from "./model/tables";

export const search = query({
  args: { text: v.string(), kind: v.string(), limit: v.number() },
  handler: async (ctx, args) => {
    const text = bind(args.text);
    const kind = bind(args.kind);
    const sites = await ctx.db.query("sites").collect();
    const items = await listItems(ctx);
    const matching = items
      .filter(
        (item) =>
          or(
            isLike(item.title, text === null ? null : `%${text}%`),
            isGlob(item.sku, text === null ? null : `${text}*`),
          ) === true &&
          (kind === null || item.kind === kind),
      )
      .sort((a, b) => compareNocase(a.title, b.title) || compare(b.sku, a.sku))
      .map(({ id, sku, title, site, weight, retired }) => ({
        ...{ id, sku, title },
        site: sites.find((each) => each.id === site)?.name ?? null,
        weight: weight === null ? null : `${formatReal(weight)} kg`,
        is_retired: retired !== null,
      }));
    return limitTo(matching, args.limit);
  },
});

export const page = query({
  args: { title: v.string(), id: v.union(v.number(), v.null()), size: v.number() },
  handler: async (ctx, args) => {
    const title = bind(args.title);
    const items = (await listItems(ctx))
      .filter(
        (item) =>
          args.id === null ||
          or(
            isBelow(
              title === null ? null : fold(title),
              item.title === null ? null : fold(item.title),
            ),
            and(isEqualNocase(item.title, title), isBelow(args.id, item.id)),
          ) === true,
      )
      .sort((a, b) => compareNocase(a.title, b.title) || a.id - b.id)
      .map(({ id, title, daily }) => ({
        ...{ id, title },
        euros: divide(daily, 100),
        cents: rest(daily, 100),
      }));
    return limitTo(items, args.size);
  },
});

export const free = query({
  args: { from: v.string(), to: v.string(), kinds: v.array(v.string()) },
  handler: async (ctx, args) => {
    const from = bind(args.from);
    const to = bind(args.to);
    const live = await listLive(ctx);
    return (await listItems(ctx))
      .filter(({ kind }) => args.kinds.length === 0 || isIn(kind, args.kinds) === true)
      .map(({ id, sku, stock, kind }) => {
        const taken = sum(
          live
            .filter(
              ({ item, starts, ends }) =>
                item === id && isBelow(to, starts) === false && isBelow(ends, from) === false,
            )
            .map(({ units }) => units),
        );
        return {
          ...{ id, sku },
          free: taken === null ? null : stock - taken,
          is_bulk: stock > 1 && not(isEqual(kind, "tool")) === true,
        };
      })
      .filter(({ free }) => free === null || free > 0)
      .sort((a, b) => compare(b.free, a.free) || compare(a.sku, b.sku));
  },
});

export const idle = query({
  args: { since: v.string(), unmoved: v.boolean() },
  handler: async (ctx, args) => {
    const since = bind(args.since);
    const taken = (await listLive(ctx))
      .filter(({ starts }) => isBelow(starts, since) === false)
      .map(({ item }) => item);
    const movements = await ctx.db.query("movements").collect();
    const moved = movements
      .filter(({ day }) => isBelow(day, since) === false)
      .map(({ item }) => item);
    return (await listItems(ctx))
      .filter(
        ({ id }) =>
          isIn(id, taken) === false && (!args.unmoved || isIn(id, moved) === false),
      )
      .map(({ id, sku, title, kind }) => ({ id, sku, title: title ?? kind ?? "?" }))
      // The order is that of the result's column, which has no collation.
      .sort((a, b) => compare(a.title, b.title) || a.id - b.id);
  },
});

export const prices = query({
  args: { titles: v.array(v.string()), euros: v.number() },
  handler: async (ctx, { titles, euros }) => {
    const wanted = titles.map(fold);
    return (await listItems(ctx))
      .filter(({ title, daily }) =>
        title === null ? daily >= euros * 100 : wanted.includes(fold(title)),
      )
      .sort(
        (a, b) =>
          compare(b.title, a.title) ||
          compare(divide(a.daily, 100), divide(b.daily, 100)) ||
          a.id - b.id,
      )
      .map(({ id, title, kind, daily }) => {
        const folded = title === null ? null : fold(title);
        const letters = title === null ? null : Array.from(title).slice(1, 4).join("");
        return {
          id,
          // `||` binds before `/`: the price is divided by '100 EUR', which is 100.
          price: divide(daily, 100),
          mark: folded === "drill" ? "D" : letters,
          is_early: and(not(isBelow(folded, "a")), not(isBelow("f", folded))) === true,
          is_other: not(isEqual(kind, "tool")) === true,
        };
      });
  },
});

export const labels = query({
  args: { region: v.string() },
  handler: async (ctx, args) => {
    const region = bind(args.region);
    const sites = (await ctx.db.query("sites").collect())
      .filter((site) => site.region === region)
      .sort((a, b) => compareNocase(a.name, b.name) || a.id - b.id);
    const bySite = groupBy(await listItems(ctx), ({ site }) => site);
    return sites.flatMap((site) => {
      const items = (bySite.get(site.id) ?? []).sort((a, b) => compare(a.sku, b.sku));
      return items.map((item, place) => {
        const titles = items
          .slice(0, place + 1)
          .flatMap(({ title }) => (title === null ? [] : [title]));
        const upTo = items.filter(({ kind }) => compare(kind, item.kind) <= 0);
        const letters = Array.from(item.sku);
        return {
          id: item.id,
          site: site.name,
          titles: titles.length === 0 ? null : titles.join(", "),
          weight: sum(upTo.map(({ weight }) => weight)),
          label: `from ${letters.slice(-3).join("")}/${raise(letters.slice(0, 2).join(""))}`,
          letters: item.title === null ? null : Array.from(item.title).length,
        };
      });
    });
  },
});
