// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";

export const byMark = query({
  args: { mark: v.string() },
  handler: async (ctx, { mark }) =>
    await ctx.db
      .query("aircraft")
      .withIndex("by_mark", (q) => q.eq("mark", mark))
      .first(),
});

export const resolve = query({
  args: { marks: v.array(v.string()) },
  handler: async (ctx, { marks }) =>
    await Promise.all(
      marks.map(async (mark) => {
        const found = await ctx.db
          .query("aircraft")
          .withIndex("by_mark", (q) => q.eq("mark", mark))
          .first();
        return { mark, aircraft: found?._id ?? null, ambiguous: false };
      }),
    ),
});
