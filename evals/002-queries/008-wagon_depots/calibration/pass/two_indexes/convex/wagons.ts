// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query, type QueryCtx } from "./_generated/server";

async function depotNames(ctx: QueryCtx, railway: string, after: string, most: number) {
  const [wagon] = await ctx.db
    .query("wagons")
    .withIndex("by_depot", (q) => q.eq("railway", railway).gt("depot", after))
    .take(1);
  const name = wagon?.depot;
  if (name === undefined) return [];
  const rest: string[] = most > 1 ? await depotNames(ctx, railway, name, most - 1) : [];
  return [name, ...rest];
}

export const depots = query({
  args: { railway: v.string(), after: v.optional(v.string()), limit: v.optional(v.number()) },
  handler: async (ctx, { railway, after = "", limit = 20 }) => {
    const names = await depotNames(ctx, railway, after, limit > 60 ? 60 : limit);
    return await Promise.all(
      names.map(async (depot) => {
        const first = await ctx.db
          .query("wagons")
          .withIndex("by_arrival", (q) => q.eq("depot", depot).eq("railway", railway))
          .first();
        return { depot, waitingSince: first!.arrivedAt };
      }),
    );
  },
});
