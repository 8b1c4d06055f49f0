// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "./_generated/server";

export const page = query({
  args: { telescope: v.string(), paginationOpts: paginationOptsValidator },
  handler: async (ctx, { telescope, paginationOpts }) => {
    const result = await ctx.db
      .query("observations")
      .withIndex("by_telescope_and_takenAt", (q) => q.eq("telescope", telescope))
      .order("desc")
      .paginate(paginationOpts);
    return {
      ...result,
      page: result.page.filter((row) => row.usable).map(({ _id, takenAt, target, exposureS }) => ({
        _id,
        takenAt,
        target,
        exposureS,
      })),
    };
  },
});
