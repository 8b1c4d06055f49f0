// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { query } from "./_generated/server";

const DEFAULT_LIMIT = 5;

export const covering = query({
  args: {
    series: v.string(),
    latitude: v.number(),
    longitude: v.number(),
    limit: v.optional(v.number()),
  },
  handler: async (ctx, { series, latitude, longitude, limit }) => {
    const sheets = await ctx.db
      .query("sheets")
      .withIndex("by_series_and_withdrawn", (q) => q.eq("series", series).eq("withdrawn", false))
      .take(limit ?? DEFAULT_LIMIT);
    return sheets
      .filter((sheet) => covers(sheet, latitude, longitude))
      .map((sheet) => ({ _id: sheet._id, number: sheet.number, degrees: degrees(sheet) }))
      .sort((a, b) => a.degrees - b.degrees || (a.number < b.number ? -1 : 1));
  },
});

type Sheet = Doc<"sheets">;

function covers(sheet: Sheet, latitude: number, longitude: number): boolean {
  return (
    sheet.south <= latitude &&
    latitude <= sheet.north &&
    eastwards(sheet.west, longitude) <= width(sheet)
  );
}

function degrees(sheet: Sheet): number {
  return (sheet.north - sheet.south) * width(sheet);
}

function width({ west, east }: Sheet): number {
  return eastwards(west, east);
}

// How far east of the first meridian the second lies: at least 0, less than 360.
function eastwards(from: number, to: number): number {
  return (to - from + 360) % 360;
}
