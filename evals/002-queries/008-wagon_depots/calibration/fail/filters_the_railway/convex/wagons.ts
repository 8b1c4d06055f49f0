// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";

const DEFAULT_LIMIT = 20;
const MAXIMUM_LIMIT = 60;

export const depots = query({
  args: { railway: v.string(), after: v.optional(v.string()), limit: v.optional(v.number()) },
  handler: async (ctx, { railway, after, limit }) => {
    const most = Math.min(limit ?? DEFAULT_LIMIT, MAXIMUM_LIMIT);
    const found: { depot: string; waitingSince: number }[] = [];
    // Wagons under way come before all names; no name is empty.
    let last = after ?? "";
    while (found.length < most) {
      const wagon = await ctx.db
        .query("wagons")
        .withIndex("by_depot_and_arrivedAt", (q) => q.gt("depot", last))
        .filter((q) => q.eq(q.field("railway"), railway))
        .first();
      if (wagon?.depot === undefined) {
        break;
      }
      found.push({ depot: wagon.depot, waitingSince: wagon.arrivedAt });
      last = wagon.depot;
    }
    return found;
  },
});
