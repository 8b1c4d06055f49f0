// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internalQuery, mutation, query } from "./_generated/server";

const agreed = v.object({
  title: v.string(),
  maker: v.union(v.string(), v.null()),
  year: v.optional(v.number()),
  state: v.union(v.literal("sound"), v.literal("worn"), v.literal("damaged")),
  parts: v.array(v.object({ name: v.string(), count: v.number() })),
  sizes: v.object({
    "height cm": v.optional(v.number()),
    "diameter cm": v.optional(v.number()),
    "weight g": v.optional(v.number()),
  }),
});

const publicLoan = {
  _id: v.id("loans"),
  _creationTime: v.number(),
  lender: v.string(),
  record: agreed,
  accepted: v.boolean(),
};

export const enter = mutation({
  args: { lender: v.string(), record: v.any(), insuredFor: v.number() },
  returns: v.id("loans"),
  handler: async (ctx, args) => await ctx.db.insert("loans", { ...args, accepted: false }),
});

export const get = query({
  args: { loan: v.id("loans") },
  returns: v.union(v.object(publicLoan), v.null()),
  handler: async (ctx, args) => {
    const loan = await ctx.db.get("loans", args.loan);
    if (loan === null) return null;
    const { insuredFor: _, ...shown } = loan;
    return shown;
  },
});

export const dossier = internalQuery({
  args: { loan: v.id("loans") },
  returns: v.union(v.object({ ...publicLoan, insuredFor: v.number() }), v.null()),
  handler: async (ctx, { loan }) => await ctx.db.get("loans", loan),
});

export const titles = query({
  args: { lender: v.string() },
  returns: v.array(v.object({ loan: v.id("loans"), title: v.string() })),
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
  returns: v.union(v.object({ loan: v.id("loans"), record: agreed }), v.null()),
  handler: async (ctx, args) => {
    const loan = await ctx.db.get("loans", args.loan);
    if (loan === null) return null;
    await ctx.db.patch("loans", loan._id, { accepted: true });
    return { loan: loan._id, record: loan.record };
  },
});
