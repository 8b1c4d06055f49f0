// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query, type QueryCtx } from "./_generated/server";

type Depot = { depot: string; waitingSince: number };

async function next(ctx: QueryCtx, railway: string, after?: string): Promise<Depot | null> {
  // Without a name the first hop leaves those behind that have no depot at all.
  const wagons = ctx.db
    .query("wagons")
    .withIndex("by_railway_and_depot_and_arrivedAt", (q) =>
      q.eq("railway", railway).gt("depot", after),
    );
  for await (const { depot, arrivedAt } of wagons) {
    return depot === undefined ? null : { depot, waitingSince: arrivedAt };
  }
  return null;
}

export const depots = query({
  args: { railway: v.string(), after: v.optional(v.string()), limit: v.optional(v.number()) },
  returns: v.array(v.object({ depot: v.string(), waitingSince: v.number() })),
  handler: async (ctx, args) => {
    const most = Math.min(60, args.limit === undefined ? 20 : args.limit);
    const listed: Depot[] = [];
    for (
      let depot = await next(ctx, args.railway, args.after);
      depot !== null;
      depot = await next(ctx, args.railway, depot.depot)
    ) {
      listed.push(depot);
      if (listed.length >= most) break;
    }
    return listed;
  },
});
