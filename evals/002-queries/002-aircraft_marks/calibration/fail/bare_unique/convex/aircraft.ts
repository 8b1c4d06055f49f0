// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query, type QueryCtx } from "./_generated/server";

async function bearer(ctx: QueryCtx, mark: string) {
  return await ctx.db
    .query("aircraft")
    .withIndex("by_mark", (q) => q.eq("mark", mark))
    .unique();
}

export const byMark = query({
  args: { mark: v.string() },
  handler: async (ctx, { mark }) => await bearer(ctx, mark),
});

export const resolve = query({
  args: { marks: v.array(v.string()) },
  handler: async (ctx, { marks }) =>
    await Promise.all(
      marks.map(async (mark) => {
        const found = await bearer(ctx, mark);
        return { mark, aircraft: found?._id ?? null, ambiguous: false };
      }),
    ),
});
