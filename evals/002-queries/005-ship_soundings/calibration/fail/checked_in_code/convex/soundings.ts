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
    const all = await ctx.db
      .query("soundings")
      .withIndex("by_ship_and_at", (q) => q.eq("ship", ship))
      .order(newestFirst ? "desc" : "asc")
      .collect();
    return all
      .filter(({ at }) => from === undefined || (from.included ? at >= from.at : at > from.at))
      .filter(({ at }) => to === undefined || (to.included ? at <= to.at : at < to.at))
      .slice(0, Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT));
  },
});
