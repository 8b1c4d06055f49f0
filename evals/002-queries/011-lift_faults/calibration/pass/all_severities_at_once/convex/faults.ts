// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { query } from "./_generated/server";

const limit = v.optional(v.number());
const capped = (asked = 20) => (asked > 50 ? 50 : asked);

export const worklist = query({
  args: v.object({ district: v.string(), limit }),
  handler: async (ctx, args) => {
    const most = capped(args.limit);
    const each = await Promise.all(
      [5, 4, 3, 2, 1].map((severity) =>
        ctx.db
          .query("faults")
          .withIndex("by_district_and_severity", (q) =>
            q.eq("district", args.district).eq("severity", severity),
          )
          .order("asc")
          .take(most),
      ),
    );
    return each.flat().slice(0, most);
  },
});

export const history = query({
  args: v.object({ lift: v.string(), limit }),
  handler: (ctx, args) =>
    ctx.db
      .query("faults")
      .withIndex("by_lift_and_reportedAt", (q) => q.eq("lift", args.lift))
      .order("desc")
      .take(capped(args.limit)),
});

export const stuck = query({
  args: v.object({ district: v.string(), limit }),
  handler: async (ctx, { district, ...args }) => {
    const most = capped(args.limit);
    const stopped = await ctx.db
      .query("faults")
      .withIndex("by_district_and_floor", (q) => q.eq("district", district).gt("floor", undefined))
      .order("desc")
      .take(most);
    const moving = await ctx.db
      .query("faults")
      .withIndex("by_district_and_floor", (q) => q.eq("district", district).eq("floor", undefined))
      .order("desc")
      .take(most);
    return [...stopped, ...moving].slice(0, most);
  },
});
