// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation } from "./_generated/server";
import { requireAgent } from "./model/agents";

export const rename = mutation({
  args: { customer: v.id("customers"), name: v.string() },
  returns: v.null(),
  handler: async (ctx, { customer, name }) => {
    await requireAgent(ctx);
    if ((await ctx.db.get("customers", customer)) === null)
      throw new ConvexError("no such customer");
    await ctx.db.patch("customers", customer, { name });
    return null;
  },
});

/** Forgets who somebody is, as the law demands. What they wrote stays, without a name. */
export const forget = mutation({
  args: { customer: v.id("customers") },
  returns: v.null(),
  handler: async (ctx, { customer }) => {
    await requireAgent(ctx);
    await ctx.db.delete("customers", customer);
    return null;
  },
});
