// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalMutation } from "../_generated/server";

/** Give an account some images more for a month. Our support calls it from the dashboard. */
export const give = internalMutation({
  args: { account: v.id("accounts"), month: v.string(), images: v.number() },
  returns: v.id("gifts"),
  handler: async (ctx, args) => await ctx.db.insert("gifts", args),
});
