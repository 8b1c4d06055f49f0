// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import {
  addDays,
  addMonths,
  and,
  applyAffinity,
  bind,
  compare,
  compareNocase,
  count,
  countDays,
  divide,
  endMonth,
  findMonday,
  fold,
  formatReal,
  groupBy,
  isBelow,
  isEqual,
  isEqualNocase,
  isIn,
  not,
  or,
  parseMoment,
  rest,
  sum,
} from "./model/sqlite";
import { listLive } from "./model/tables";

export const find = query({
  args: { customer: v.string(), item: v.string(), code: v.union(v.string(), v.number()) },
  handler: async (ctx, args) => {
    const customer = bind(args.customer);
    const item = applyAffinity(bind(args.item));
    const code = bind(args.code);
    const bookings = await ctx.db.query("bookings").collect();
    return bookings
      .filter(
        (booking) =>
          or(
            isEqualNocase(booking.customer, customer),
            isEqual(booking.item, item),
            isEqual(booking.code, code),
          ) === true,
      )
      .sort((a, b) => compare(a.code, b.code) || a.id - b.id)
      .map(({ id, item, customer, code, channel }) => ({
        ...{ id, item, customer, code, is_web: channel === "web" },
      }));
  },
});

export const between = query({
  args: { from: v.string(), to: v.string(), states: v.array(v.string()) },
  handler: async (ctx, args) => {
    const from = bind(args.from);
    const to = bind(args.to);
    const bookings = await ctx.db.query("bookings").collect();
    return bookings
      .filter(
        ({ starts, state }) =>
          and(
            not(isBelow(starts, from)),
            not(isBelow(to, starts)),
            not(isIn(state, args.states)),
          ) === true,
      )
      .sort((a, b) => compare(b.state, a.state) || compare(a.price, b.price) || a.id - b.id)
      .map(({ id, starts, ends, state, price, units, deposit }) => {
        const days = countDays(starts, ends);
        return {
          ...{ id, starts, state, price },
          days: days === null ? null : Math.trunc(days) + 0,
          each: days === null || units === 0 ? null : days / units,
          cents: divide(price, units),
          rest: rest(price, units),
          most: price === null || deposit === null ? null : Math.max(price, deposit * 100),
        };
      });
  },
});

export const latest = query({
  args: { least: v.number() },
  handler: async (ctx, { least }) => {
    const bookings = await ctx.db.query("bookings").collect();
    const groups = groupBy(bookings, ({ customer }) =>
      customer === null ? null : fold(customer),
    );
    return [...groups]
      .filter(([, group]) => count(group.map(({ channel }) => channel)) >= least)
      .sort(([a], [b]) => compare(a, b))
      .map(([customer, group]) => {
        const key = ({ starts, id }: (typeof group)[number]) =>
          `${starts} ${String(id).padStart(5, "0")}`;
        const last = group.reduce((best, each) => (key(each) > key(best) ? each : best));
        const { id, state, deposit } = last;
        const cents = sum(group.map(({ price }) => price));
        return {
          ...{ customer, last: key(last), id, state },
          deposit: deposit === null ? null : `${formatReal(deposit)} EUR`,
          bookings: group.length,
          priced: count(group.map((each) => each.price)),
          channels: new Set(group.map((each) => each.channel).filter((each) => each !== null))
            .size,
          paid: cents === null ? null : `${formatReal(cents / 100)} EUR`,
          deposits: sum(group.map((each) => each.deposit)) ?? 0,
          cancelled: sum(
            group.map((each) => (each.state === null ? null : Number(each.state === "cancelled"))),
          ),
        };
      });
  },
});

export const lost = query({
  args: { since: v.string() },
  handler: async (ctx, args) => {
    const since = bind(args.since);
    const live = (await listLive(ctx)).map(({ customer, starts }) => ({
      customer: customer === null ? null : fold(customer),
      isBefore: isBelow(starts, since),
    }));
    const before = live.filter(({ isBefore }) => isBefore === true);
    const after = live.filter(({ isBefore }) => isBefore === false);
    const stayed = new Set(after.map(({ customer }) => customer));
    const gone = new Set(before.map(({ customer }) => customer).filter((each) => !stayed.has(each)));
    return [...gone].sort((a, b) => compare(b, a)).map((customer) => ({ customer }));
  },
});

export const clashes = query({
  args: { item: v.union(v.number(), v.null()) },
  handler: async (ctx, args) => {
    const bookings = await ctx.db.query("bookings").collect();
    const live = groupBy(await listLive(ctx), ({ item }) => item);
    const pairs = bookings
      .filter(
        (a) =>
          not(and(isEqual(a.state, "cancelled"), a.price === null)) === true &&
          a.item === (args.item ?? a.item),
      )
      .flatMap((a) =>
        (live.get(a.item) ?? [])
          .filter(
            (b) =>
              b.id > a.id &&
              isBelow(b.starts, a.ends) === true &&
              isBelow(a.starts, b.ends) === true,
          )
          .map((b) => ({
            first: a.id,
            second: b.id,
            until: compare(a.ends, b.ends) < 0 ? a.ends : b.ends,
            is_same: isEqualNocase(a.customer, b.customer) === true,
          })),
      );
    return pairs.sort(
      (a, b) => compare(a.until, b.until) || a.first - b.first || a.second - b.second,
    );
  },
});

export const overdue = query({
  args: { now: v.string(), grace: v.string() },
  handler: async (ctx, args) => {
    const now = bind(args.now);
    const grace = bind(args.grace);
    return (await ctx.db.query("bookings").collect())
      .flatMap(({ id, customer, ends, state, channel }) => {
        if (ends === null || now === null || ends >= now) return [];
        if (state === null || state === "back" || state === "cancelled") return [];
        const isLate = grace !== null && addDays(ends, Number(grace)) < parseMoment(now);
        return [
          {
            ...{ id, customer },
            monday: findMonday(ends),
            claim: addMonths(ends, 1),
            closing: endMonth(ends),
            word: isLate ? "late" : "soon",
            way: channel === "web" ? "mail" : "phone",
          },
        ];
      })
      .sort(
        (a, b) =>
          compare(b.claim, a.claim) || compareNocase(b.customer, a.customer) || a.id - b.id,
      );
  },
});
