// The functions of bench_database.py.

import { mutationGeneric as mutation, queryGeneric as query } from "convex/server";
import { v } from "convex/values";

export const nothing = query({ args: {}, handler: () => null });

export const add = mutation({
  args: { from: v.number(), count: v.number() },
  handler: async (ctx, { from, count }) => {
    for (let n = from; n < from + count; n++) {
      await ctx.db.insert("rows", { n, text: "some text of a row" });
    }
  },
});

export const all = query({
  args: {},
  handler: async (ctx) => (await ctx.db.query("rows").collect()).length,
});

export const firsts = query({
  args: { count: v.number() },
  handler: async (ctx, { count }) => {
    let seen = 0;
    for (let n = 0; n < count; n++) {
      const rows = ctx.db.query("rows").withIndex("by_n", (q) => q.eq("n", n));
      if ((await rows.first()) !== null) seen += 1;
    }
    return seen;
  },
});

export const one = query({
  args: { n: v.number() },
  handler: async (ctx, { n }) =>
    (
      await ctx.db
        .query("rows")
        .withIndex("by_n", (q) => q.eq("n", n))
        .first()
    )?.n,
});
