// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation, internalQuery } from "./_generated/server";

export const question = internalQuery({
  args: { id: v.id("reports") },
  handler: async (ctx, { id }) => {
    const report = await ctx.db.get(id);
    return report && { magnitude: report.magnitude, station: report.station };
  },
});

export const finish = internalMutation({
  args: { id: v.id("reports"), plausible: v.union(v.boolean(), v.null()) },
  handler: async (ctx, { id, plausible }) => {
    const status =
      plausible === null ? "unverified" : plausible ? "confirmed" : "rejected";
    if (await ctx.db.get(id)) {
      await ctx.db.patch(id, { status });
      return status;
    }
    return null;
  },
});
