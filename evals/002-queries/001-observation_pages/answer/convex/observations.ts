import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "./_generated/server";

export const page = query({
  args: { telescope: v.string(), paginationOpts: paginationOptsValidator },
  handler: async (ctx, { telescope, paginationOpts }) => {
    const result = await ctx.db
      .query("observations")
      .withIndex("by_telescope_and_usable_and_takenAt", (q) =>
        q.eq("telescope", telescope).eq("usable", true),
      )
      .order("desc")
      .paginate(paginationOpts);
    return {
      ...result,
      page: result.page.map(({ _id, takenAt, target, exposureS }) => ({
        _id,
        takenAt,
        target,
        exposureS,
      })),
    };
  },
});
