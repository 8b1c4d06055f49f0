// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery } from "./_generated/server";
import { votes } from "./model/counts";

export const votesOf = internalQuery({
  args: { idea: v.string() },
  returns: v.nullable(v.number()),
  handler: async (ctx, { idea }) => {
    const id = ctx.db.normalizeId("ideas", idea);
    const shown = id === null ? null : await ctx.db.get("ideas", id);
    if (shown === null || shown.removedAt !== undefined) return null;
    return await votes.count(ctx, shown._id);
  },
});
