// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { MutationCtx } from "./_generated/server";
import { mutation, query } from "./_generated/server";
import { findRate, updateLine } from "./model/lines";
import { refuse } from "./model/refusals";
import { compareTexts, fold } from "./model/sqlite";

const DEFAULT_PERCENT = 19;

export const put = mutation({
  args: { code: v.string(), percent: v.union(v.number(), v.null()) },
  handler: async (ctx, { code, percent }) => {
    // OR REPLACE takes the default where NULL is not allowed, and deletes what is in the way.
    const stored = percent ?? DEFAULT_PERCENT;
    if (stored >= 100) refuse("percent < 100");
    const old = await findRate(ctx, code);
    if (old !== null) {
      await ctx.db.delete("rates", old._id);
      await setRate(ctx, old.key, null);
    }
    await ctx.db.insert("rates", { code, key: fold(code), percent: stored });
    return [{ code, percent: stored }];
  },
});

export const rename = mutation({
  args: { from: v.string(), to: v.string() },
  handler: async (ctx, { from, to }) => {
    const rate = await findRate(ctx, from);
    if (rate === null) return [{ changed: 0 }];
    const other = await findRate(ctx, to);
    if (other !== null && other._id !== rate._id) refuse("code");
    await ctx.db.patch("rates", rate._id, { code: to, key: fold(to) });
    // The same key, but for the case of its letters, is no other key.
    if (fold(to) !== rate.key) await setRate(ctx, rate.key, to);
    return [{ changed: 1 }];
  },
});

async function setRate(ctx: MutationCtx, key: string, rate: string | null): Promise<void> {
  const lines = await ctx.db
    .query("lines")
    .withIndex("by_rate", (q) => q.eq("rateKey", key))
    .collect();
  for (const line of lines) await updateLine(ctx, line, { price: line.price, rate });
}

export const list = query({
  args: {},
  handler: async (ctx) => {
    const rates = await ctx.db.query("rates").collect();
    const lines = await ctx.db.query("lines").collect();
    return rates
      .sort((a, b) => compareTexts(a.key, b.key))
      .map(({ code, percent }) => ({
        code,
        percent,
        lines: lines.filter((line) => line.rate === code).length,
      }));
  },
});
