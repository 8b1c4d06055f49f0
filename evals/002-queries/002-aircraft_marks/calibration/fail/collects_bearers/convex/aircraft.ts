// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { query, type QueryCtx } from "./_generated/server";

async function bearers(ctx: QueryCtx, mark: string) {
  return await ctx.db
    .query("aircraft")
    .withIndex("by_mark", (q) => q.eq("mark", mark))
    .collect();
}

export const byMark = query({
  args: { mark: v.string() },
  handler: async (ctx, { mark }) => {
    const found = await bearers(ctx, mark);
    if (found.length > 1) {
      throw new ConvexError({ kind: "ambiguousMark", mark });
    }
    return found[0] ?? null;
  },
});

export const resolve = query({
  args: { marks: v.array(v.string()) },
  handler: async (ctx, { marks }) =>
    await Promise.all(
      marks.map(async (mark) => {
        const found = await bearers(ctx, mark);
        const [only] = found;
        const ambiguous = found.length > 1;
        return { mark, aircraft: only === undefined || ambiguous ? null : only._id, ambiguous };
      }),
    ),
});
