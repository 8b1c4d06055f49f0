// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { refuse } from "./lib/errors";
import { requireCustomer } from "./lib/session";

export const register = mutation({
  args: { email: v.string() },
  returns: v.id("customers"),
  handler: async (ctx, { email }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null) refuse("not_signed_in");
    const existing = await ctx.db
      .query("customers")
      .withIndex("by_subject", (q) => q.eq("subject", identity.subject))
      .unique();
    if (existing !== null) return existing._id;
    return await ctx.db.insert("customers", { subject: identity.subject, email, points: 0 });
  },
});

export const me = query({
  args: {},
  returns: v.object({ email: v.string(), points: v.number() }),
  handler: async (ctx) => {
    const { email, points } = await requireCustomer(ctx);
    return { email, points };
  },
});
