// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { components } from "./_generated/api";
import { mutation } from "./_generated/server";
import type { Id } from "./_generated/dataModel";
import { refuse } from "./lib/errors";

export const join = mutation({
  args: { name: v.string() },
  returns: v.id("users"),
  handler: async (ctx, { name }): Promise<Id<"users">> => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) refuse("not_signed_in");
    const { subject } = identity;
    const existing = await ctx.db
      .query("users")
      .withIndex("by_subject", (q) => q.eq("subject", subject))
      .unique();
    if (existing !== null) return existing._id;
    const account = await ctx.runMutation(components.purse.accounts.open, {
      ref: `user/${subject}`,
    });
    return await ctx.db.insert("users", { subject, name, account });
  },
});
