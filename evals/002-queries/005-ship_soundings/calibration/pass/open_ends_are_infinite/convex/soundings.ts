// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import { query, type QueryCtx } from "./_generated/server";

const end = v.object({ at: v.number(), included: v.boolean() });
type End = Infer<typeof end>;

const BEGINNING: End = { at: -Infinity, included: true };
const FUTURE: End = { at: Infinity, included: true };

function stretch(ctx: QueryCtx, ship: string, from: End, to: End) {
  const log = ctx.db.query("soundings");
  if (from.included && to.included) {
    return log.withIndex("by_ship_and_at", (q) =>
      q.eq("ship", ship).gte("at", from.at).lte("at", to.at),
    );
  }
  if (from.included) {
    return log.withIndex("by_ship_and_at", (q) =>
      q.eq("ship", ship).gte("at", from.at).lt("at", to.at),
    );
  }
  if (to.included) {
    return log.withIndex("by_ship_and_at", (q) =>
      q.eq("ship", ship).gt("at", from.at).lte("at", to.at),
    );
  }
  return log.withIndex("by_ship_and_at", (q) =>
    q.eq("ship", ship).gt("at", from.at).lt("at", to.at),
  );
}

export const between = query({
  args: {
    ship: v.string(),
    from: v.optional(end),
    to: v.optional(end),
    newestFirst: v.optional(v.boolean()),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, { ship, from = BEGINNING, to = FUTURE, newestFirst = false, limit = 25 }) => {
    const found = stretch(ctx, ship, from, to);
    const most = Math.min(100, limit);
    if (newestFirst) {
      return await found.order("desc").take(most);
    }
    return await found.take(most);
  },
});
