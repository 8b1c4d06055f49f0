// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

const entry = v.object({
  _id: v.id("calls"),
  startedAt: v.number(),
  seconds: v.number(),
  caller: v.nullable(v.object({ name: v.string(), number: v.nullable(v.string()) })),
});

export const page = query({
  args: { exchange: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(entry),
  handler: async (ctx, { exchange, paginationOpts }) => {
    const result = await ctx.db
      .query("calls")
      .withIndex("by_exchange_and_startedAt", (q) => q.eq("exchange", exchange))
      .order("desc")
      .paginate({ numItems: paginationOpts.numItems, cursor: paginationOpts.cursor });
    const entries = result.page.map(async ({ _id, startedAt, seconds, caller }) => ({
      _id,
      startedAt,
      seconds,
      caller: await callerOf(ctx, caller),
    }));
    return { ...result, page: await Promise.all(entries) };
  },
});

async function callerOf(ctx: QueryCtx, id: Id<"subscribers">) {
  const subscriber = await ctx.db.get("subscribers", id);
  if (subscriber === null) {
    return null;
  }
  const { name, number, unlisted } = subscriber;
  return { name, number: unlisted ? null : number };
}
