// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { atDesk, resetRate } from "./desk";
import { numberOrNull } from "./schema";
import { fold, inOrder, plain, sameText } from "./sqlite";

export const put = mutation({
  args: { code: v.string(), percent: numberOrNull },
  returns: v.array(v.object({ code: v.string(), percent: v.number() })),
  handler: async (ctx, { code, percent: given }) =>
    await atDesk(ctx, (desk) => {
      // Where REPLACE meets a NULL that the column does not take, it puts the default.
      const percent = given === null ? 19 : plain(given);
      if (percent >= 100) throw new ConvexError("a rate is below 100 percent");
      const old = desk.rates.rows.find((row) => sameText(row.code, code));
      if (old !== undefined) {
        // It is deleted first, and its lines lose it.
        desk.rates.remove(old);
        resetRate(desk, old.code, null);
      }
      desk.rates.rows.push({ code, percent });
      return [{ code, percent }];
    }),
});

export const rename = mutation({
  args: { from: v.string(), to: v.string() },
  returns: v.array(v.object({ changed: v.number() })),
  handler: async (ctx, { from, to }) =>
    await atDesk(ctx, (desk) => {
      const rate = desk.rates.rows.find((row) => sameText(row.code, from));
      if (rate === undefined) return [{ changed: 0 }];
      if (desk.rates.rows.some((row) => row !== rate && sameText(row.code, to))) {
        throw new ConvexError("the code is taken");
      }
      rate.code = to;
      // The lines keep their letters where only capitals and small ones differ.
      if (!sameText(from, to)) resetRate(desk, from, to);
      return [{ changed: 1 }];
    }),
});

export const list = query({
  args: {},
  returns: v.array(v.object({ code: v.string(), percent: v.number(), lines: v.number() })),
  handler: async (ctx) => {
    const [rates, lines] = await Promise.all([
      ctx.db.query("rates").collect(),
      ctx.db.query("lines").collect(),
    ]);
    // Unlike foreign keys, this join tells capital from small letters.
    const counts = new Map<string, number>();
    for (const { rate } of lines) {
      if (rate !== null) counts.set(rate, (counts.get(rate) ?? 0) + 1);
    }
    return inOrder(rates, (row) => fold(row.code)).map(({ code, percent }) => ({
      code,
      percent,
      lines: counts.get(code) ?? 0,
    }));
  },
});
