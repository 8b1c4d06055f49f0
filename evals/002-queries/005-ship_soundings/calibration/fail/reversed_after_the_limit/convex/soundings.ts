// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";

const DEFAULT_LIMIT = 25;
const MAXIMUM_LIMIT = 100;

const end = v.object({ at: v.number(), included: v.boolean() });

export const between = query({
  args: {
    ship: v.string(),
    from: v.optional(end),
    to: v.optional(end),
    newestFirst: v.optional(v.boolean()),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, { ship, from, to, newestFirst, limit }) => {
    const found = await ctx.db
      .query("soundings")
      .withIndex("by_ship_and_at", (q) => {
        const all = q.eq("ship", ship);
        if (from === undefined) {
          if (to === undefined) {
            return all;
          }
          return to.included ? all.lte("at", to.at) : all.lt("at", to.at);
        }
        const later = from.included ? all.gte("at", from.at) : all.gt("at", from.at);
        if (to === undefined) {
          return later;
        }
        return to.included ? later.lte("at", to.at) : later.lt("at", to.at);
      })
      .take(Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT));
    return newestFirst ? found.reverse() : found;
  },
});
