// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "./_generated/server";
import schema from "./schema";

const { startedAt, seconds } = schema.tables.calls.validator.fields;
const { name } = schema.tables.subscribers.validator.fields;
const caller = v.union(v.object({ name, number: v.union(v.string(), v.null()) }), v.null());

export const page = query({
  args: { exchange: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(v.object({ _id: v.id("calls"), startedAt, seconds, caller })),
  handler: async (ctx, { exchange, paginationOpts }) => {
    const result = await ctx.db
      .query("calls")
      .withIndex("by_exchange_and_startedAt", (q) => q.eq("exchange", exchange))
      .order("desc")
      .paginate(paginationOpts);
    const ids = [...new Set(result.page.map((call) => call.caller))];
    const found = await Promise.all(ids.map((id) => ctx.db.get("subscribers", id)));
    const callers = new Map(found.flatMap((one) => (one === null ? [] : [[one._id, one]])));
    return {
      ...result,
      page: result.page.map((call) => {
        const one = callers.get(call.caller);
        return {
          _id: call._id,
          startedAt: call.startedAt,
          seconds: call.seconds,
          caller: one ? { name: one.name, number: one.unlisted ? null : one.number } : null,
        };
      }),
    };
  },
});
