// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query } from "./_generated/server";

function entry(observation: Doc<"observations">) {
  return {
    _id: observation._id,
    takenAt: observation.takenAt,
    target: observation.target,
    exposureS: observation.exposureS,
  };
}

export const page = query({
  args: { telescope: v.string(), paginationOpts: paginationOptsValidator },
  handler: async (ctx, args) => {
    const usable = ctx.db
      .query("observations")
      .withIndex("by_telescope_and_usable_and_takenAt", (q) =>
        q.eq("telescope", args.telescope).eq("usable", true),
      );
    const { page, ...rest } = await usable.order("desc").paginate(args.paginationOpts);
    return { page: page.map(entry), ...rest };
  },
});
