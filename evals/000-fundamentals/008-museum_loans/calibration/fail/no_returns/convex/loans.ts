// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery, mutation, query } from "./_generated/server";

export const enter = mutation({
  args: { lender: v.string(), record: v.any(), insuredFor: v.number() },
  handler: async (ctx, args) => await ctx.db.insert("loans", { ...args, accepted: false }),
});

export const get = query({
  args: { loan: v.id("loans") },
  handler: async (ctx, args) => {
    const loan = await ctx.db.get("loans", args.loan);
    if (loan === null) return null;
    const { insuredFor: _, ...shown } = loan;
    return shown;
  },
});

export const dossier = internalQuery({
  args: { loan: v.id("loans") },
  handler: async (ctx, { loan }) => await ctx.db.get("loans", loan),
});

export const titles = query({
  args: { lender: v.string() },
  handler: async (ctx, { lender }) => {
    const loans = await ctx.db
      .query("loans")
      .withIndex("by_lender", (q) => q.eq("lender", lender))
      .collect();
    // A record may be anything, also null.
    return loans.map(({ _id, record }) => ({ loan: _id, title: record?.title }));
  },
});

export const accept = mutation({
  args: { loan: v.id("loans") },
  handler: async (ctx, args) => {
    const loan = await ctx.db.get("loans", args.loan);
    if (loan === null) return null;
    await ctx.db.patch("loans", loan._id, { accepted: true });
    return { loan: loan._id, record: loan.record };
  },
});
