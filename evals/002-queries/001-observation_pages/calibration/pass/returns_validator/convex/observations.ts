// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "./_generated/server";

const entry = v.object({
  _id: v.id("observations"),
  takenAt: v.number(),
  target: v.string(),
  exposureS: v.number(),
});

export const page = query({
  args: { paginationOpts: paginationOptsValidator, telescope: v.string() },
  returns: v.object({
    page: v.array(entry),
    isDone: v.boolean(),
    continueCursor: v.string(),
  }),
  handler: async (ctx, args) => {
    const log = ctx.db
      .query("observations")
      .withIndex("usable_log", (q) => q.eq("usable", true).eq("telescope", args.telescope))
      .order("desc");
    const { page: documents, isDone, continueCursor } = await log.paginate(args.paginationOpts);
    const entries = [];
    for (const { _id, takenAt, target, exposureS } of documents) {
      entries.push({ _id, takenAt, target, exposureS });
    }
    return { page: entries, isDone, continueCursor };
  },
});
