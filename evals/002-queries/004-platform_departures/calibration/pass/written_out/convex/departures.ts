// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query, type QueryCtx } from "./_generated/server";

type Asked = {
  station: string;
  day: string;
  platform?: number | null;
  section?: string | null;
};

function ordered(ctx: QueryCtx, { station, day, platform, section }: Asked) {
  const departures = ctx.db.query("departures");
  if (platform === undefined) {
    if (section !== undefined) throw new ConvexError("section without platform");
    return departures.withIndex("day_first", (q) => q.eq("day", day).eq("station", station));
  }
  const number = platform === null ? undefined : platform;
  if (section === undefined) {
    return departures.withIndex("day_first", (q) =>
      q.eq("day", day).eq("station", station).eq("platform", number),
    );
  }
  const letter = section === null ? undefined : section;
  return departures.withIndex("day_first", (q) =>
    q.eq("day", day).eq("station", station).eq("platform", number).eq("section", letter),
  );
}

export const board = query({
  args: {
    station: v.string(),
    day: v.string(),
    platform: v.optional(v.nullable(v.number())),
    section: v.optional(v.nullable(v.string())),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, { limit = 20, ...asked }) => {
    const most = limit > 100 ? 100 : limit;
    const rows: Doc<"departures">[] = [];
    for await (const row of ordered(ctx, asked)) {
      rows.push(row);
      if (rows.length >= most) break;
    }
    return rows;
  },
});
