// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";
import { sounding } from "./schema";

const end = v.optional(v.object({ at: v.number(), included: v.boolean() }));

export const between = query({
  args: {
    ship: v.string(),
    from: end,
    to: end,
    newestFirst: v.optional(v.boolean()),
    limit: v.optional(v.number()),
  },
  returns: v.array(
    v.object({ _id: v.id("soundings"), _creationTime: v.number(), ...sounding }),
  ),
  handler: async (ctx, { ship, from, to, newestFirst, limit }) => {
    const lower = from?.included === true ? "gte" : "gt";
    const upper = to?.included === true ? "lte" : "lt";
    const stretch = ctx.db.query("soundings").withIndex("log", (q) => {
      const mine = q.eq("ship", ship);
      const begun = from ? mine[lower]("at", from.at) : mine;
      return to ? begun[upper]("at", to.at) : begun;
    });
    const found = [];
    for await (const one of stretch.order(newestFirst === true ? "desc" : "asc")) {
      found.push(one);
      if (found.length === Math.min(limit === undefined ? 25 : limit, 100)) break;
    }
    return found;
  },
});
