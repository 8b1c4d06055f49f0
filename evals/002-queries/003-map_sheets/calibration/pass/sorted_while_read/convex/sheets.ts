// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";
import type { Id } from "./_generated/dataModel";
import { query } from "./_generated/server";

const question = v.object({
  series: v.string(),
  latitude: v.number(),
  longitude: v.number(),
  limit: v.optional(v.number()),
});

type Found = { _id: Id<"sheets">; number: string; degrees: number };

function isBefore(a: Found, b: Found) {
  return a.degrees < b.degrees || (a.degrees === b.degrees && a.number < b.number);
}

export const covering = query({
  args: question.fields,
  handler: async (ctx, { series, latitude, longitude, limit = 5 }: Infer<typeof question>) => {
    const best: Found[] = [];
    const candidates = ctx.db
      .query("sheets")
      .withIndex("in_use_from_south", (q) =>
        q.eq("withdrawn", false).eq("series", series).lte("south", latitude),
      );
    for await (const { _id, number, west, south, east, north } of candidates) {
      const end = east < west ? east + 360 : east;
      const covers = [longitude - 360, longitude, longitude + 360].some(
        (turned) => west <= turned && turned <= end,
      );
      if (north < latitude || !covers) continue;
      const found = { _id, number, degrees: (north - south) * (end - west) };
      const place = best.findIndex((other) => isBefore(found, other));
      best.splice(place < 0 ? best.length : place, 0, found);
      if (best.length > limit) best.pop();
    }
    return best;
  },
});
