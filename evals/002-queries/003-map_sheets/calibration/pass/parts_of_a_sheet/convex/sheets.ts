// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query } from "./_generated/server";

type Span = { from: number; to: number };

function spans({ west, east }: Doc<"sheets">): Span[] {
  if (west <= east) return [{ from: west, to: east }];
  return [
    { from: west, to: 180 },
    { from: -180, to: east },
  ];
}

const within = (value: number, { from, to }: Span) => value >= from && value <= to;

export const covering = query({
  args: {
    series: v.string(),
    latitude: v.number(),
    longitude: v.number(),
    limit: v.optional(v.number()),
  },
  returns: v.array(v.object({ _id: v.id("sheets"), number: v.string(), degrees: v.number() })),
  handler: async (ctx, args) => {
    const inUse = await ctx.db
      .query("sheets")
      .withIndex("by_series", (q) => q.eq("series", args.series))
      .filter((q) => q.eq(q.field("withdrawn"), false))
      .collect();
    const longitudes = Math.abs(args.longitude) === 180 ? [-180, 180] : [args.longitude];
    const found = [];
    for (const sheet of inUse) {
      if (args.latitude < sheet.south || args.latitude > sheet.north) continue;
      const parts = spans(sheet);
      if (!longitudes.some((longitude) => parts.some((part) => within(longitude, part)))) continue;
      const width = parts.reduce((sum, { from, to }) => sum + to - from, 0);
      const degrees = (sheet.north - sheet.south) * width;
      found.push({ _id: sheet._id, number: sheet.number, degrees });
    }
    found.sort((a, b) => {
      if (a.degrees !== b.degrees) return a.degrees - b.degrees;
      if (a.number === b.number) return 0;
      return a.number < b.number ? -1 : 1;
    });
    return found.slice(0, args.limit ?? 5);
  },
});
