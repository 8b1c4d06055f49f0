// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { findRate, moveLines, must, write } from "./model/desk";
import { fold, sorted } from "./model/values";

/** A rate that is there already is replaced, and its lines lose it. */
export const put = mutation({
  args: { code: v.string(), percent: v.union(v.number(), v.null()) },
  handler: async (ctx, args) =>
    await write(ctx, (desk) => {
      const { code } = args;
      const percent = args.percent ?? 19;
      must(percent < 100, "a rate is below 100 percent");
      const before = findRate(desk, code);
      if (before !== undefined) {
        desk.rates.remove(before);
        moveLines(desk, before.code, null);
      }
      desk.rates.add({ code, percent });
      return [{ code, percent }];
    }),
});

export const rename = mutation({
  args: { from: v.string(), to: v.string() },
  handler: async (ctx, { from, to }) =>
    await write(ctx, (desk) => {
      const rate = findRate(desk, from);
      if (rate === undefined) return [{ changed: 0 }];
      const other = findRate(desk, to);
      must(other === undefined || other === rate, "the code is taken");
      const before = rate.code;
      desk.rates.set(rate, { code: to });
      // For its lines a code that differs only in its case is no other code.
      if (fold(before) !== fold(to)) moveLines(desk, before, to);
      return [{ changed: 1 }];
    }),
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const [rates, lines] = await Promise.all([
      ctx.db.query("rates").collect(),
      ctx.db.query("lines").collect(),
    ]);
    // Only lines that have the code as it is written here are counted.
    return sorted(rates, (rate) => [fold(rate.code)]).map(({ code, percent }) => ({
      code,
      percent,
      lines: lines.filter((line) => line.rate === code).length,
    }));
  },
});
