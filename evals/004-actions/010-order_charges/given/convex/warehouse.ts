// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery } from "./_generated/server";

/** Only what is paid is packed. */
export const mayPack = internalQuery({
  args: { number: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { number }) => {
    const order = await ctx.db
      .query("orders")
      .withIndex("by_number", (q) => q.eq("number", number))
      .unique();
    return order?.state === "paid";
  },
});
