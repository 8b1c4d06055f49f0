// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "./_generated/server";

/** Reuses the rows that are there already, writes the rest and drops what is left over. */
export const write = internalMutation({
  args: {
    hole: v.string(),
    intervals: v.array(v.object({ fromM: v.number(), toM: v.number(), rock: v.string() })),
  },
  handler: async (ctx, args) => {
    const rows = await ctx.db
      .query("intervals")
      .withIndex("by_hole", (q) => q.eq("hole", args.hole))
      .collect();
    for (const [n, each] of args.intervals.entries()) {
      const row = rows[n];
      if (row) {
        await ctx.db.patch("intervals", row._id, each);
      } else {
        await ctx.db.insert("intervals", { ...each, hole: args.hole });
      }
    }
    for (const row of rows.slice(args.intervals.length)) {
      await ctx.db.delete("intervals", row._id);
    }
  },
});
