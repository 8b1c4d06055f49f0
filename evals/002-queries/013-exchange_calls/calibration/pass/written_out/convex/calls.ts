// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { v, type Infer } from "convex/values";
import { query } from "./_generated/server";

const caller = v.object({ name: v.string(), number: v.union(v.null(), v.string()) });
const entry = v.object({
  _id: v.id("calls"),
  caller: v.union(v.null(), caller),
  seconds: v.number(),
  startedAt: v.number(),
});

export const page = query({
  args: { paginationOpts: paginationOptsValidator, exchange: v.string() },
  returns: v.object({
    page: v.array(entry),
    isDone: v.boolean(),
    continueCursor: v.string(),
    splitCursor: v.optional(v.nullable(v.string())),
    pageStatus: v.optional(
      v.union(v.literal("SplitRecommended"), v.literal("SplitRequired"), v.null()),
    ),
  }),
  handler: async (ctx, args) => {
    const { page: calls, ...rest } = await ctx.db
      .query("calls")
      .withIndex("newest", (q) => q.eq("exchange", args.exchange))
      .order("desc")
      .paginate(args.paginationOpts);
    const page: Infer<typeof entry>[] = [];
    for (const { _id, startedAt, seconds, ...call } of calls) {
      const found = await ctx.db.get(call.caller);
      const shown = found && { name: found.name, number: found.unlisted ? null : found.number };
      page.push({ _id, startedAt, seconds, caller: shown });
    }
    return { page, ...rest };
  },
});
