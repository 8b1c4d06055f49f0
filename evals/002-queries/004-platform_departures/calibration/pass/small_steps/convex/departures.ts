// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

const asked = v.object({
  station: v.string(),
  day: v.string(),
  platform: v.optional(v.union(v.null(), v.number())),
  section: v.optional(v.union(v.null(), v.string())),
  limit: v.optional(v.number()),
});

const GAP = undefined;

async function readBoard(ctx: QueryCtx, args: Infer<typeof asked>): Promise<Doc<"departures">[]> {
  const { platform, section } = args;
  const most = Math.min(args.limit === undefined ? 20 : args.limit, 100);
  const rows = ctx.db.query("departures").withIndex("by_place_and_minute", (q) => {
    const all = q.eq("station", args.station).eq("day", args.day);
    switch (platform) {
      case undefined:
        return all;
      case null:
        return section === undefined
          ? all.eq("platform", GAP)
          : all.eq("platform", GAP).eq("section", section === null ? GAP : section);
      default:
        return section === undefined
          ? all.eq("platform", platform)
          : all.eq("platform", platform).eq("section", section === null ? GAP : section);
    }
  });
  return await rows.order("asc").take(most);
}

export const board = query({
  args: asked,
  handler: async (ctx, args) => {
    if ("section" in args && !("platform" in args)) {
      throw new ConvexError("section without platform");
    }
    return await readBoard(ctx, args);
  },
});
