// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";

import { mutation, query } from "./_generated/server";

export const byCode = query({
  args: { code: v.string() },
  handler: async (ctx, { code }) => {
    if (!/^[0-9A-Z]{3}$/.test(code)) throw new ConvexError("Not a code.");
    return await ctx.db
      .query("shows")
      .filter((q) => q.eq(q.field("code"), code))
      .unique();
  },
});

export const takeSeat = mutation({
  args: { show: v.id("shows") },
  handler: async (ctx, args) => {
    const show = await ctx.db.get("shows", args.show);
    if (show === null || show.seats < 1) throw new ConvexError("Sold out.");
    await ctx.db.patch("shows", show._id, { seats: show.seats - 1 });
  },
});
