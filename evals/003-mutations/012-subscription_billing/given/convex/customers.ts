// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";

export const register = mutation({
  args: { name: v.string() },
  returns: v.id("customers"),
  handler: async (ctx, { name }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) refuse("not_signed_in");
    const { subject } = identity;
    const known = await ctx.db
      .query("customers")
      .withIndex("by_subject", (q) => q.eq("subject", subject))
      .unique();
    if (known !== null) return known._id;
    return await ctx.db.insert("customers", { subject, name, credit: 0 });
  },
});

export const me = query({
  args: {},
  returns: v.object({ id: v.id("customers"), name: v.string(), credit: v.number() }),
  handler: async (ctx) => {
    const { _id, name, credit } = await requireCustomer(ctx);
    return { id: _id, name, credit };
  },
});
